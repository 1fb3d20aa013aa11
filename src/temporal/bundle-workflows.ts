/** Bundles the workflows once, at build: `node dist/temporal/bundle-workflows.js` writes `dist/workflow-bundle.js`. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

/** What workers run: the bundle of the last build, wherever this very file runs from. */
export const bundlePath = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { code } = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../workflows/index.js', import.meta.url)),
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  });
  await writeFile(bundlePath, code);
}
