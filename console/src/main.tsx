/** Where the console begins. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './texts/language.ts';
import './theme/styles.css';
import { App } from './app.tsx';

const root = document.getElementById('root');
if (!root) throw new TypeError('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
