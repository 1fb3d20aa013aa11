/** Where the API's documentation begins: `/openapi.json`, to be read. Apart from React it is all ours, and asks nobody else. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../texts/language.ts';
import '../theme/scheme.ts';
import './docs.css';
import { DocsPage } from './docs-page.tsx';

const root = document.getElementById('root');
if (!root) throw new TypeError('docs.html has no #root');
createRoot(root).render(
  <StrictMode>
    <DocsPage />
  </StrictMode>,
);
