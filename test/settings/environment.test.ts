import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEnvironment, surveyEnvironment } from '../../src/config/environment.ts';
import { SettingsError } from '../../src/config/setting-errors.ts';

const linesOf = (env: Record<string, string>): readonly string[] => {
  try {
    readEnvironment(env);
  } catch (error) {
    assert.ok(error instanceof SettingsError);
    return error.lines;
  }
  return [];
};

test('an empty environment means everything embedded on port 8080', () => {
  const environment = readEnvironment({});
  assert.deepEqual(environment, {
    port: 8080,
    host: '127.0.0.1',
    publicUrl: undefined,
    configurationFile: undefined,
    dataDir: '.tollgate',
    databaseUrl: undefined,
    temporal: {
      address: undefined,
      namespace: 'default',
      apiKey: undefined,
      tls: undefined,
      cliPath: undefined,
      codecKeys: undefined,
      uiUrl: undefined,
    },
    s3: undefined,
    secrets: undefined,
    bootstrap: { key: undefined, balance: 100_000_000n, email: undefined, password: undefined },
    allowPrivateUrls: false,
    trustedProxies: [],
    balancers: [],
    corsOrigins: [],
    drain: { noticeMs: 5_000, graceMs: 60_000 },
    workerPort: undefined,
    logLevel: 'info',
    traces: undefined,
  });
});

test('an empty variable counts as unset', () => {
  assert.deepEqual(readEnvironment({ PORT: '', DATABASE_URL: ' ', S3_BUCKET: '' }), readEnvironment({}));
});

test('a full environment is read', () => {
  const secrets = ['a'.repeat(32), 'b'.repeat(40)];
  const environment = readEnvironment({
    PORT: '0',
    HOST: '::1',
    PUBLIC_URL: 'https://gate.example.com/',
    DATABASE_URL: 'postgres://u:p@db:5432/tollgate',
    TEMPORAL_ADDRESS: 'temporal:7233',
    TEMPORAL_NAMESPACE: 'gate',
    TEMPORAL_API_KEY: 'key',
    S3_ENDPOINT: 'http://127.0.0.1:9000',
    S3_BUCKET: 'blobs',
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'secret',
    TOLLGATE_SECRET: secrets.join(' , '),
    TOLLGATE_BOOTSTRAP_BALANCE: '0.000001',
    TOLLGATE_ALLOW_PRIVATE_URLS: 'true',
  });
  assert.equal(environment.port, 0);
  assert.equal(environment.publicUrl, 'https://gate.example.com');
  assert.deepEqual(environment.secrets, secrets);
  assert.equal(environment.bootstrap.balance, 1n);
  assert.equal(environment.allowPrivateUrls, true);
  assert.deepEqual(environment.s3?.credentials, { accessKeyId: 'id', secretAccessKey: 'secret' });
  assert.equal(environment.s3.region, 'us-east-1');
});

test('a Temporal API key or certificate brings TLS, unless it is switched off by name', () => {
  assert.notEqual(readEnvironment({ TEMPORAL_API_KEY: 'k' }).temporal.tls, undefined);
  assert.notEqual(readEnvironment({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: 'ca.pem' }).temporal.tls, undefined);
  assert.notEqual(readEnvironment({ TEMPORAL_TLS: 'true' }).temporal.tls, undefined);
  assert.equal(readEnvironment({ TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: 'false' }).temporal.tls, undefined);
});

for (const [name, refused, allowed] of [
  ['PORT', '65536', '65535'],
  ['PORT', '-1', '0'],
  ['PORT', '80a', '80'],
  ['TOLLGATE_WORKER_PORT', '65536', '8081'],
  ['HOST', 'a b', '0.0.0.0'],
  ['PUBLIC_URL', 'https://user:secret@gate.example.com', 'https://gate.example.com/below'],
  ['PUBLIC_URL', 'https://gate.example.com/?q', 'http://gate.example.com:8080'],
  ['PUBLIC_URL', 'ftp://gate.example.com', 'http://127.0.0.1'],
  ['TEMPORAL_ADDRESS', 'temporal', '[::1]:7233'],
  ['TOLLGATE_SECRET', 'x'.repeat(31), 'x'.repeat(32)],
  ['TOLLGATE_SECRET', `${'x'.repeat(32)},`, `${'x'.repeat(32)},${'y'.repeat(32)}`],
  ['TOLLGATE_SECRET', `${'x'.repeat(32)},${'x'.repeat(32)}`, 'z'.repeat(100)],
  ['TOLLGATE_BOOTSTRAP_KEY', `sk-tg-${'x'.repeat(9)}`, `sk-tg-${'x'.repeat(10)}`],
  ['TOLLGATE_BOOTSTRAP_KEY', `sk-${'x'.repeat(40)}`, `sk-tg-${'x'.repeat(40)}`],
  ['TOLLGATE_BOOTSTRAP_BALANCE', '-1', '0'],
  ['TOLLGATE_BOOTSTRAP_BALANCE', '1.0000001', '1.000001'],
  ['TOLLGATE_BOOTSTRAP_EMAIL', 'no-address', 'ada@example.com'],
  ['TOLLGATE_BOOTSTRAP_PASSWORD', '1234567', '12345678'],
  ['TOLLGATE_TRUSTED_PROXIES', 'proxy.internal', '10.0.0.0/8, 192.0.2.1,2001:db8::/32'],
  ['TOLLGATE_TRUSTED_PROXIES', '10.0.0.0/33', '0.0.0.0/0'],
  ['TOLLGATE_TRUSTED_PROXIES', '10.0.0.1,', '::1'],
  ['TOLLGATE_ALLOW_PRIVATE_URLS', 'perhaps', '0'],
  ['TOLLGATE_CORS_ORIGINS', 'app.example.com', '*'],
  ['TOLLGATE_CORS_ORIGINS', 'https://app.example.com/', 'https://app.example.com'],
  ['TOLLGATE_CORS_ORIGINS', 'https://app.example.com:443', 'https://app.example.com:8443,http://localhost:5173'],
  ['TOLLGATE_CORS_ORIGINS', 'https://*.example.com', 'http://[::1]:3000, http://127.0.0.1'],
  ['TOLLGATE_CORS_ORIGINS', '*,https://app.example.com', 'https://xn--mnchen-3ya.example'],
  ['TOLLGATE_CORS_ORIGINS', 'https://user@app.example.com', 'https://a.example , https://b.example'],
  ['TOLLGATE_CORS_ORIGINS', 'https://App.example.com', 'https://app.example.com'],
  ['TOLLGATE_CORS_ORIGINS', 'null', 'http://app.example.com'],
  ['LOG_LEVEL', 'loud', 'debug'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization', 'authorization=Bearer%20abc,x-scope=a=b'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%0a', 'a=b'],
  ['OTEL_SERVICE_NAME', 'a b', 'tollgate-eu'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.01', '1'],
  ['OTEL_TRACES_SAMPLER_ARG', '5%', '0.05'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317', 'http://collector:4317'],
] as const) {
  test(`${name} refuses ${refused} and takes ${allowed}`, () => {
    const lines = linesOf({ [name]: refused });
    assert.equal(lines.length, 1);
    assert.match(lines[0]!, new RegExp(`^${name}: must `));
    assert.deepEqual(linesOf({ [name]: allowed }), []);
  });
}

test('DATABASE_URL must be PostgreSQL and asks for a TOLLGATE_SECRET', () => {
  assert.deepEqual(linesOf({ DATABASE_URL: 'mysql://u:hunter2@db/x', TOLLGATE_SECRET: 'x'.repeat(32) }), [
    'DATABASE_URL: must be a PostgreSQL address such as postgres://user:password@host:5432/tollgate',
  ]);
  assert.deepEqual(linesOf({ DATABASE_URL: 'postgres://db/x' }), ['TOLLGATE_SECRET: is required by DATABASE_URL']);
});

test('variables that only work together are asked for by name', () => {
  assert.deepEqual(linesOf({ S3_ENDPOINT: 'http://s3' }), ['S3_BUCKET: is required by S3_ENDPOINT']);
  assert.deepEqual(linesOf({ S3_BUCKET: 'blobs', S3_ACCESS_KEY_ID: 'x' }), [
    'S3_SECRET_ACCESS_KEY: is required by S3_ACCESS_KEY_ID',
  ]);
  assert.deepEqual(linesOf({ TEMPORAL_TLS_CLIENT_CERT_PATH: 'c.pem' }), [
    'TEMPORAL_TLS_CLIENT_KEY_PATH: is required by TEMPORAL_TLS_CLIENT_CERT_PATH',
  ]);
});

test('all mistakes in the environment are reported at once, and none shows a value', () => {
  const lines = linesOf({ PORT: 'hunter2', LOG_LEVEL: 'hunter2', TOLLGATE_SECRET: 'hunter2', S3_ENDPOINT: 'hunter2' });
  assert.deepEqual(
    lines.map((line) => line.split(':')[0]),
    ['PORT', 'S3_ENDPOINT', 'TOLLGATE_SECRET', 'LOG_LEVEL', 'S3_BUCKET'],
  );
  assert.ok(!lines.join().includes('hunter2'));
});

test('a survey reads what can be read, and names the rest', () => {
  const { environment, mistakes, unread } = surveyEnvironment({
    PORT: 'eighty',
    HOST: '0.0.0.0',
    DATABASE_URL: 'postgres://u:p@db/x',
  });
  assert.deepEqual([environment.host, environment.port], ['0.0.0.0', 8080]);
  assert.equal(environment.databaseUrl, 'postgres://u:p@db/x');
  assert.deepEqual([...unread], ['PORT']);
  assert.deepEqual(mistakes, [
    'PORT: must be an integer from 0 to 65535',
    'TOLLGATE_SECRET: is required by DATABASE_URL',
  ]);
});

test('traces are off without an endpoint, and whole with one', () => {
  assert.equal(readEnvironment({ OTEL_SERVICE_NAME: 'gate' }).traces, undefined);
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318/';
  assert.deepEqual(readEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT }).traces, {
    endpoint: 'http://collector:4318',
    headers: {},
    serviceName: 'tollgate',
    sampledShare: 1,
  });
  const OTEL_EXPORTER_OTLP_HEADERS = 'authorization=Bearer%20abc, x-scope=a=b';
  assert.deepEqual(readEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS }).traces?.headers, {
    authorization: 'Bearer abc',
    'x-scope': 'a=b',
  });
});

test('keys of encrypted payloads are read in their order, and no part of a wrong one is shown', () => {
  const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const text = `2027:${two.toString('base64')}, 2026:${one.toString('base64')}`;
  assert.deepEqual(readEnvironment({ TEMPORAL_CODEC_KEYS: text }).temporal.codecKeys, [
    { id: '2027', key: two },
    { id: '2026', key: one },
  ]);
  const short = Buffer.alloc(16, 3).toString('base64');
  for (const wrong of [
    short,
    `a:${short}`,
    `a b:${one.toString('base64')}`,
    `${text},2026:${two.toString('base64')}`,
  ]) {
    const [line = '', ...more] = linesOf({ TEMPORAL_CODEC_KEYS: wrong });
    assert.match(line, /^TEMPORAL_CODEC_KEYS: must be /);
    assert.ok(!line.includes(short) && more.length === 0);
  }
});
