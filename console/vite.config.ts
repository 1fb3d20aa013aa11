/** How the console is built, to `dist/console`, and served while somebody works on it (`npx vite console`). */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  // The server puts each answer's own nonce in place of this word.
  html: { cspNonce: '__nonce__' },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    manifest: 'manifest.json',
    // An inlined picture would be a data: address in a script; a file of its own is cached for ever.
    assetsInlineLimit: 0,
    target: 'es2022',
    reportCompressedSize: false,
    // antd and React are one chunk of 620 kB (170 kB compressed), which every page needs.
    chunkSizeWarningLimit: 800,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: { '/console/api': `http://127.0.0.1:${process.env['PORT'] ?? '8080'}` },
  },
});
