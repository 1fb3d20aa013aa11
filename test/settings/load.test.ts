import assert from 'node:assert/strict';
import { providerKinds } from '../../src/providers/registry.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { builtInConfiguration } from '../../src/config/built-in.ts';
import { loadSettings } from '../../src/config/load-settings.ts';
import { SettingsError } from '../../src/config/setting-errors.ts';

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-settings-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
const refusedWith = (lines: readonly (string | RegExp)[]) => (error: unknown) => {
  assert.ok(error instanceof SettingsError, String(error));
  assert.equal(error.lines.length, lines.length, error.message);
  for (const [index, line] of lines.entries()) {
    if (typeof line === 'string') assert.equal(error.lines[index], line);
    else assert.match(error.lines[index]!, line);
  }
  return true;
};

test('without a file the built-in configuration is taken', () =>
  inFolder(async (folder) => {
    const { configuration, configurationPath } = await loadSettings({}, folder, providerKinds);
    assert.equal(configurationPath, undefined);
    assert.ok(configuration.models.has('sim-image'));
  }));

test('tollgate.yaml in the folder is taken, and TOLLGATE_CONFIG before it', () =>
  inFolder(async (folder) => {
    await writeFile(join(folder, 'tollgate.yaml'), builtInConfiguration.replace('sim-chat', 'first'));
    await writeFile(join(folder, 'other.yaml'), builtInConfiguration.replace('sim-chat', 'second'));
    const first = await loadSettings({}, folder, providerKinds);
    assert.ok(first.configuration.models.has('first'));
    assert.equal(first.configurationPath, join(folder, 'tollgate.yaml'));
    const second = await loadSettings({ TOLLGATE_CONFIG: 'other.yaml' }, folder, providerKinds);
    assert.ok(second.configuration.models.has('second'));
    assert.equal(second.environment.configurationFile, 'other.yaml');
  }));

test('a named file that is missing is a mistake', () =>
  inFolder((folder) =>
    assert.rejects(
      loadSettings({ TOLLGATE_CONFIG: 'none.yaml' }, folder, providerKinds),
      refusedWith(["TOLLGATE_CONFIG: the file none.yaml can't be read (ENOENT)"]),
    ),
  ));

test('a file that is a folder is a mistake', () =>
  inFolder((folder) =>
    assert.rejects(
      loadSettings({ TOLLGATE_CONFIG: '.' }, folder, providerKinds),
      refusedWith(["TOLLGATE_CONFIG: the file . can't be read (EISDIR)"]),
    ),
  ));

test('mistakes of the environment and of the file are reported together', () =>
  inFolder(async (folder) => {
    await writeFile(join(folder, 'tollgate.yaml'), `${builtInConfiguration}retention_days: 0\n`);
    const line = builtInConfiguration.split('\n').length;
    await assert.rejects(
      loadSettings({ PORT: 'x', LOG_LEVEL: 'loud' }, folder, providerKinds),
      refusedWith([/^PORT: /, /^LOG_LEVEL: /, new RegExp(`^tollgate\\.yaml:${line}: retention_days: `)]),
    );
  }));

test('certificate files that are not there are mistakes', () =>
  inFolder((folder) =>
    assert.rejects(
      loadSettings(
        { TEMPORAL_TLS_SERVER_CA_CERT_PATH: 'ca.pem', TEMPORAL_CLI_PATH: 'temporal' },
        folder,
        providerKinds,
      ),
      refusedWith([
        "TEMPORAL_TLS_SERVER_CA_CERT_PATH: the file can't be read (ENOENT)",
        "TEMPORAL_CLI_PATH: the file can't be executed (ENOENT)",
      ]),
    ),
  ));
