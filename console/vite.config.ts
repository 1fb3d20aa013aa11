/** How the console, the documentation page and the status page are built, to `dist/console`, and served during development (`npx vite console`). */
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The documentation page has none of these. */
const sharedLibraries = /node_modules\/(antd|@ant-design|@rc-component|react-router|@tanstack)\//;
/** A file of its own for what it has as well, else it would load the libraries above with it. */
const sharedWithDocs =
  /node_modules\/(react|react-dom|scheduler|i18next|react-i18next|use-sync-external-store|clsx|html-parse-stringify|void-elements)\//;
/** Neither the frame around the pages, nor the overview, nor the form to sign in has these. */
const widgets =
  /node_modules\/(antd\/es|@rc-component)\/(select|virtual-list|menu|tabs|modal|dialog|drawer|dropdown|overflow|tag|segmented|input-number|checkbox|radio)\//;
/** Few files instead of one a module, each with what is needed at the same time. */
const groups = [
  { name: 'react', test: sharedWithDocs, priority: 3 },
  // What the pages' frame is made of.
  {
    name: 'base',
    test: sharedLibraries,
    tags: ['$initial' as const],
    includeDependenciesRecursively: false,
    priority: 2,
  },
  { name: 'widgets', test: widgets, minShareCount: 8, includeDependenciesRecursively: false, priority: 1 },
  { name: 'form', test: sharedLibraries, minShareCount: 12, includeDependenciesRecursively: false },
];

/**
 * antd's icons call themselves "down" or "search", in English. They only repeat what stands beside them or what their button is
 * named, so that screen readers leave them out, unless they are given a name.
 */
const quietIcons: Plugin = {
  name: 'quiet-icons',
  transform(code, id) {
    if (!/@ant-design\/icons\/es\/components\/AntdIcon\.js$/.test(id)) return;
    const named = 'role: "img",\n    "aria-label": icon.name';
    if (!code.includes(named)) throw new Error('the icons name themselves otherwise now');
    return code.replace(named, `...(restProps["aria-label"] ? { role: "img" } : { "aria-hidden": true })`);
  },
};

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), quietIcons],
  // The server puts each answer's own nonce in place of this word.
  html: { cspNonce: '__nonce__' },
  build: {
    outDir: '../dist/console',
    rolldownOptions: {
      input: ['index.html', 'docs.html', 'status.html'].map((page) => join(import.meta.dirname, page)),
      output: { codeSplitting: { groups } },
    },
    emptyOutDir: true,
    manifest: 'manifest.json',
    // Whose code is in the bundle, with the notices that their licences ask to be handed on.
    license: { fileName: 'licences.json' },
    // An inlined image would be a data: address in a script; a file of its own is cached for ever.
    assetsInlineLimit: 0,
    target: 'es2022',
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: { '/console/api': `http://127.0.0.1:${process.env['PORT'] ?? '8080'}` },
  },
});
