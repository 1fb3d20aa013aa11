/** Entry point of the API documentation, rendered from `/openapi.json`. Apart from React it is our own code and makes no requests to other hosts. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../texts/language.ts';
import '../theme/scheme.ts';
import './code/code.css';
import '../theme/plain-page.css';
import './docs.css';
import { DocsPage } from './docs-page.tsx';

const root = document.getElementById('root');
if (!root) throw new TypeError('docs.html has no #root');
createRoot(root).render(
  <StrictMode>
    <DocsPage />
  </StrictMode>,
);
