/** Entry point of the public status page, rendered from `/status.json`. It needs no sign-in and makes no requests to other hosts. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../texts/language.ts';
import '../theme/scheme.ts';
import '../theme/plain-page.css';
import './status.css';
import { StatusPage } from './status-page.tsx';

const root = document.getElementById('root');
if (!root) throw new TypeError('status.html has no #root');
createRoot(root).render(
  <StrictMode>
    <StatusPage />
  </StrictMode>,
);
