/** Bundles the workflows once, at build: `node dist/temporal/bundle-workflows.js` writes `dist/workflow-bundle.js`. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker';

export const bundlePath = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));

/** What a worker runs: the bundle of the build, or the sources themselves under a development loader. */
export async function workflowBundle(): Promise<WorkflowBundleOption> {
  return import.meta.url.endsWith('.ts') ? await bundle() : { codePath: bundlePath };
}

async function bundle() {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL(`../workflows/index.${extension}`, import.meta.url)),
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(bundlePath, (await bundle()).code);
