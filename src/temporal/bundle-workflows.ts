/**
 * Bundles the workflows once, at build: `node dist/temporal/bundle-workflows.js` writes `dist/workflow-bundle.js`, and the same
 * workflows with the interceptors that trace them, which workers run while there are traces.
 */
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

/** What workers run: the bundle of the last build, wherever this very file runs from. */
export const bundlePath = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));
export const tracedBundlePath = fileURLToPath(new URL('../../dist/workflow-bundle-traced.js', import.meta.url));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const interceptors = createRequire(import.meta.url).resolve(
    '@temporalio/interceptors-opentelemetry/lib/workflow-interceptors',
  );
  const workflowsPath = fileURLToPath(new URL('../workflows/index.js', import.meta.url));
  // Loaded once and shared: our workflows and the SDK keep nothing in their modules. Each workflow would load sixty of them
  // for itself, a third of what it costs to begin one. The interceptors' modules do keep their tracer.
  const shared = ['@temporalio/workflow', '@temporalio/common', workflowsPath];
  for (const [path, workflowInterceptorModules, preloadModules] of [
    [bundlePath, [], shared],
    [tracedBundlePath, [interceptors], []],
  ] as const) {
    const { code } = await bundleWorkflowCode({
      workflowsPath,
      workflowInterceptorModules: [...workflowInterceptorModules],
      preloadModules: [...preloadModules],
      // Of lines, not columns: those of the entry point that the bundler makes up depend on the folder's name.
      webpackConfigHook: (config) => ({ ...config, devtool: 'inline-cheap-module-source-map' }),
      logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} },
    });
    await writeFile(path, escaped(withoutFolder(code)));
  }
}

/**
 * The source map names sources from the project's folder on, and the bundle by its name without the hash of a build: the
 * same sources give the same bundle wherever it is built.
 */
function withoutFolder(code: string): string {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  return code.replace(
    /(\/\/# sourceMappingURL=data:application\/json;charset=utf-8;base64,)(\S+)/,
    (_, head: string, map: string) => {
      const text = Buffer.from(map, 'base64').toString().replaceAll(root, '');
      return head + Buffer.from(text.replace(/"workflow-bundle-\w+\.js"/, '"workflow-bundle.js"')).toString('base64');
    },
  );
}

/**
 * Beside one character that Latin-1 lacks V8 keeps two bytes for each of the bundle's 1.5 million, in the main thread and in
 * that of the workflows.
 */
function escaped(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
