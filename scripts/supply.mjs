/**
 * `npm run supply`: is what Tollgate is made of what it should be? `npm run sbom [file]`: a list of it, to `dist/sbom.json`
 * or that file. Checks may be named (`npm run supply -- licences`), and with `--folder` another folder than this. Ends with status 1 if something is wrong; what can't be checked,
 * as without a network, is reported and is no failure.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkAudit } from './supply/audit.mjs';
import { checkInstallScripts } from './supply/install-scripts.mjs';
import { checkLicences } from './supply/licences.mjs';
import { checkLockFile } from './supply/lock-file.mjs';
import { sbomOf } from './supply/sbom.mjs';

const checks = {
  'lock-file': checkLockFile,
  'install-scripts': checkInstallScripts,
  licences: checkLicences,
  audit: checkAudit,
};

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { values, positionals } = parseArgs({
  options: { folder: { type: 'string', default: root } },
  allowPositionals: true,
});
const [task, file = path.join(values.folder, 'dist', 'sbom.json')] = positionals;
if (task === 'sbom') writeSbom();
else
  for (const name of positionals.length > 0 ? positionals : Object.keys(checks))
    print(name, checks[name](values.folder));

function print(name, { faults, facts, notChecked }) {
  const state = notChecked !== undefined ? `NOT CHECKED: ${notChecked}` : faults.length > 0 ? 'WRONG' : 'ok';
  process.stdout.write([`${name}: ${state}`, ...faults, ...facts].join('\n  ') + '\n');
  if (faults.length > 0) process.exitCode = 1;
}

function writeSbom() {
  const text = `${JSON.stringify(sbomOf(values.folder), null, 2)}\n`;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
  process.stdout.write(`${file}: ${JSON.parse(text).components.length} components\n`);
}
