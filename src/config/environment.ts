/** The settings that come from the environment, checked together. `docs/settings.md` explains them. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { micros, type Money, amountText } from '../domain/money.ts';
import { bootstrapPasswordField, emailField } from '../domain/accounts/person-rules.ts';
import { type CodecKey, codecKeyList } from './codec-keys.ts';
import { corsOriginList, type CorsOrigins } from './cors-origins.ts';
import { must, SettingsError } from './setting-errors.ts';
import { matching, webAddress, money } from './setting-values.ts';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface Environment {
  /** 0 takes a free port. */
  port: number;
  host: string;
  /** Without a slash at its end; undefined: the address that the server listens on. */
  publicUrl: string | undefined;
  /** `TOLLGATE_CONFIG` as it was given; undefined: `tollgate.yaml`, if there is one. */
  configurationFile: string | undefined;
  dataDir: string;
  /** Undefined: the embedded database. */
  databaseUrl: string | undefined;
  temporal: TemporalSettings;
  /** Undefined: files below the data directory. */
  s3: S3Settings | undefined;
  /** `TOLLGATE_SECRET`: the first signs, all verify. Undefined: made and kept in the data directory. */
  secrets: readonly string[] | undefined;
  /** The demo account of an empty database; what is undefined is made up. */
  bootstrap: {
    key: string | undefined;
    balance: Money;
    email: string | undefined;
    password: string | undefined;
  };
  allowPrivateUrls: boolean;
  /** Whose `X-Forwarded-For` is believed: addresses, and networks such as `10.0.0.0/8`. */
  trustedProxies: readonly string[];
  /** Addresses and networks whose connections may begin with a PROXY protocol header. */
  balancers: readonly string[];
  /** Whose pages may call the public API from a browser. */
  corsOrigins: CorsOrigins;
  /** How `tollgate api` stops. */
  drain: DrainPace;
  /** Where `tollgate worker` answers /metrics, /healthz and /readyz, on `host`; undefined: nowhere. 0 takes a free port. */
  workerPort: number | undefined;
  logLevel: LogLevel;
  /** Undefined: there are no traces. */
  traces: TraceSettings | undefined;
}

export interface TraceSettings {
  /** Of the collector's OTLP/HTTP; traces go to `/v1/traces` below it. */
  endpoint: string;
  /** Sent with every hand-over; may hold a credential. */
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  /** Of the traces that begin here, from 0 to 1; of others their caller decides. */
  sampledShare: number;
}

export interface DrainPace {
  /** From the signal, with `/readyz` 503 but everything served, to the last new connection. */
  noticeMs: number;
  /** From then on, for running requests to end. */
  graceMs: number;
}

export interface TemporalSettings {
  /** `host:port`. Undefined: the embedded server. */
  address: string | undefined;
  namespace: string;
  apiKey: string | undefined;
  /** Undefined: no TLS. The paths are PEM files. */
  tls:
    | {
        serverName: string | undefined;
        serverCaPath: string | undefined;
        clientCertPath: string | undefined;
        clientKeyPath: string | undefined;
      }
    | undefined;
  cliPath: string | undefined;
  /** The first encrypts payloads, all decrypt. Undefined: they are not encrypted. */
  codecKeys: readonly CodecKey[] | undefined;
  /** Of Temporal's own web interface, which operators are led to; undefined: the embedded one, or none. */
  uiUrl: string | undefined;
}

export interface S3Settings {
  /** Undefined: Amazon's own for the region. */
  endpoint: string | undefined;
  /** Where callers reach the store; undefined: they get the files from the gateway. */
  publicEndpoint: string | undefined;
  bucket: string;
  region: string;
  /** Undefined: the credentials that the machine offers. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
}

/** Shorter secrets could be guessed offline from one signed link. */
export const secretCharactersMin = 32;
const trustedProxiesMax = 100;
const bootstrapBalanceDefault = micros(100_000_000n);

const schema = z.object({
  PORT: wholeNumber(0, 65_535).default(8080),
  HOST: matching(/^[A-Za-z0-9.:_-]{1,253}$/, 'be a host name or an IP address').default('127.0.0.1'),
  PUBLIC_URL: webAddress().optional(),
  TOLLGATE_CONFIG: z.string().optional(),
  TOLLGATE_DATA_DIR: z.string().default('.tollgate'),
  DATABASE_URL: matching(
    /^postgres(ql)?:\/\/\S+$/,
    'be a PostgreSQL address such as postgres://user:password@host:5432/tollgate',
  ).optional(),
  TEMPORAL_ADDRESS: matching(
    /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}$/,
    'be host:port, such as localhost:7233',
  ).optional(),
  TEMPORAL_NAMESPACE: matching(/^[A-Za-z0-9._-]{1,255}$/, 'be a namespace name').default('default'),
  TEMPORAL_API_KEY: z.string().optional(),
  TEMPORAL_TLS: flag().optional(),
  TEMPORAL_TLS_SERVER_NAME: z.string().optional(),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: z.string().optional(),
  TEMPORAL_TLS_CLIENT_CERT_PATH: z.string().optional(),
  TEMPORAL_TLS_CLIENT_KEY_PATH: z.string().optional(),
  TEMPORAL_CLI_PATH: z.string().optional(),
  TEMPORAL_CODEC_KEYS: codecKeyList().optional(),
  TOLLGATE_TEMPORAL_UI_URL: webAddress().optional(),
  S3_ENDPOINT: webAddress().optional(),
  S3_PUBLIC_ENDPOINT: webAddress().optional(),
  S3_BUCKET: matching(/^[A-Za-z0-9][A-Za-z0-9._-]{2,254}$/, 'be a bucket name').optional(),
  S3_REGION: matching(/^[A-Za-z0-9-]{1,64}$/, 'be a region such as us-east-1').default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  TOLLGATE_SECRET: secretList().optional(),
  // The operator's own choice, for a first try; the keys that Tollgate makes have 256 random bits.
  TOLLGATE_BOOTSTRAP_KEY: matching(
    /^sk-tg-[A-Za-z0-9_-]{10,194}$/,
    'begin with sk-tg- and have 16 to 200 characters of A-Z, a-z, 0-9, _ and -',
  ).optional(),
  TOLLGATE_BOOTSTRAP_BALANCE: money().default(bootstrapBalanceDefault),
  TOLLGATE_BOOTSTRAP_EMAIL: emailField.optional(),
  TOLLGATE_BOOTSTRAP_PASSWORD: bootstrapPasswordField.optional(),
  TOLLGATE_ALLOW_PRIVATE_URLS: flag().default(false),
  TOLLGATE_TRUSTED_PROXIES: addressList().default([]),
  TOLLGATE_PROXY_PROTOCOL_FROM: addressList().default([]),
  TOLLGATE_CORS_ORIGINS: corsOriginList().default([]),
  // As long as a load balancer takes to ask /readyz twice.
  TOLLGATE_NOTICE_SECONDS: wholeNumber(0, 600).default(5),
  TOLLGATE_DRAIN_SECONDS: wholeNumber(0, 86_400).default(60),
  TOLLGATE_WORKER_PORT: wholeNumber(0, 65_535).optional(),
  LOG_LEVEL: z.enum(logLevels, must(`be one of ${logLevels.join(', ')}`)).default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress().optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headerList().default({}),
  OTEL_SERVICE_NAME: matching(/^[A-Za-z0-9._-]{1,255}$/, 'be a name of letters, digits, . _ and -').default('tollgate'),
  OTEL_TRACES_SAMPLER_ARG: share().default(1),
});
type Name = keyof typeof schema.shape;
const names = Object.keys(schema.shape) as Name[];
/** Of every variable that is a setting. */
export const settingNames: readonly string[] = names;

/** Every setting with what it is when unset, as the documentation has to show it; undefined where that is nothing. */
export const settingDefaults: ReadonlyMap<string, string | undefined> = new Map(
  names.map((name) => [name, defaultOf(schema.shape[name])]),
);

/**
 * Reads the environment; an empty variable counts as unset.
 * Throws one SettingsError with every mistake, a line each, such as `PORT: must be a whole number from 0 to 65535`.
 */
export function readEnvironment(env: Record<string, string | undefined>): Environment {
  const { environment, mistakes } = surveyEnvironment(env);
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return environment;
}

/** What can be read of an environment with mistakes: a variable whose value is none of its kind counts as unset. */
export interface SurveyedEnvironment {
  environment: Environment;
  /** As `readEnvironment` reports them. */
  mistakes: readonly string[];
  /** The variables that are set to something which can't be read. */
  unread: ReadonlySet<string>;
}

/** Reads as much of the environment as can be read, for looking into what is wrong; nothing may be run with it. */
export function surveyEnvironment(env: Record<string, string | undefined>): SurveyedEnvironment {
  const given = new Map<Name, string>();
  for (const name of names) {
    const value = env[name]?.trim();
    if (value !== undefined && value !== '') given.set(name, value);
  }
  const across = crossMistakes(given);
  const { error } = schema.safeParse(Object.fromEntries(given));
  const own = (error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  const unread = new Set((error?.issues ?? []).map(({ path }) => path.join('.')));
  const readable = Object.fromEntries([...given].filter(([name]) => !unread.has(name)));
  return { environment: environmentOf(schema.parse(readable)), mistakes: [...own, ...across], unread };
}

function environmentOf(values: z.output<typeof schema>): Environment {
  return {
    port: values.PORT,
    host: values.HOST,
    publicUrl: values.PUBLIC_URL,
    configurationFile: values.TOLLGATE_CONFIG,
    dataDir: values.TOLLGATE_DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    temporal: temporalOf(values),
    s3: s3Of(values),
    secrets: values.TOLLGATE_SECRET,
    bootstrap: {
      key: values.TOLLGATE_BOOTSTRAP_KEY,
      balance: values.TOLLGATE_BOOTSTRAP_BALANCE,
      email: values.TOLLGATE_BOOTSTRAP_EMAIL,
      password: values.TOLLGATE_BOOTSTRAP_PASSWORD,
    },
    allowPrivateUrls: values.TOLLGATE_ALLOW_PRIVATE_URLS,
    trustedProxies: values.TOLLGATE_TRUSTED_PROXIES,
    balancers: values.TOLLGATE_PROXY_PROTOCOL_FROM,
    corsOrigins: values.TOLLGATE_CORS_ORIGINS,
    drain: { noticeMs: values.TOLLGATE_NOTICE_SECONDS * 1000, graceMs: values.TOLLGATE_DRAIN_SECONDS * 1000 },
    workerPort: values.TOLLGATE_WORKER_PORT,
    logLevel: values.LOG_LEVEL,
    traces: tracesOf(values),
  };
}

function temporalOf(values: z.output<typeof schema>): TemporalSettings {
  const tls = {
    serverName: values.TEMPORAL_TLS_SERVER_NAME,
    serverCaPath: values.TEMPORAL_TLS_SERVER_CA_CERT_PATH,
    clientCertPath: values.TEMPORAL_TLS_CLIENT_CERT_PATH,
    clientKeyPath: values.TEMPORAL_TLS_CLIENT_KEY_PATH,
  };
  // An API key must never travel in the clear, so it brings TLS with it unless that is switched off by name.
  const asksForTls = values.TEMPORAL_API_KEY !== undefined || Object.values(tls).some((value) => value !== undefined);
  return {
    address: values.TEMPORAL_ADDRESS,
    namespace: values.TEMPORAL_NAMESPACE,
    apiKey: values.TEMPORAL_API_KEY,
    tls: (values.TEMPORAL_TLS ?? asksForTls) ? tls : undefined,
    cliPath: values.TEMPORAL_CLI_PATH,
    codecKeys: values.TEMPORAL_CODEC_KEYS,
    uiUrl: values.TOLLGATE_TEMPORAL_UI_URL,
  };
}

function tracesOf(values: z.output<typeof schema>): TraceSettings | undefined {
  if (values.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined;
  return {
    endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: values.OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: values.OTEL_SERVICE_NAME,
    sampledShare: values.OTEL_TRACES_SAMPLER_ARG,
  };
}

function s3Of(values: z.output<typeof schema>): S3Settings | undefined {
  if (values.S3_BUCKET === undefined) return undefined;
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = values;
  return {
    endpoint: values.S3_ENDPOINT,
    publicEndpoint: values.S3_PUBLIC_ENDPOINT,
    bucket: values.S3_BUCKET,
    region: values.S3_REGION,
    credentials:
      accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey },
  };
}

/** What can only be judged over several variables: which go together, and which another one makes necessary. */
function crossMistakes(given: ReadonlyMap<Name, string>): string[] {
  const lines: string[] = [];
  const needs = (reason: Name, needed: Name) => {
    if (given.has(reason) && !given.has(needed)) lines.push(`${needed}: is required by ${reason}`);
  };
  needs('S3_ENDPOINT', 'S3_BUCKET');
  needs('S3_PUBLIC_ENDPOINT', 'S3_BUCKET');
  needs('S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY');
  needs('S3_SECRET_ACCESS_KEY', 'S3_ACCESS_KEY_ID');
  needs('TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH');
  needs('TEMPORAL_TLS_CLIENT_KEY_PATH', 'TEMPORAL_TLS_CLIENT_CERT_PATH');
  // Processes that share a database but not a data directory would each make a secret of their own.
  needs('DATABASE_URL', 'TOLLGATE_SECRET');
  return lines;
}

function defaultOf(field: z.ZodType): string | undefined {
  if (!(field instanceof z.ZodDefault)) return undefined;
  const value: unknown = field.def.defaultValue;
  if (typeof value === 'bigint') return amountText(micros(value));
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined; // an empty list is nothing
}

function wholeNumber(min: number, max: number) {
  const rule = must(`be an integer from ${min} to ${max}`);
  return z
    .string()
    .regex(/^\d{1,9}$/, { ...rule, abort: true })
    .transform(Number)
    .refine((value) => value >= min && value <= max, rule);
}

function share() {
  const rule = must('be a fraction from 0 to 1, such as 0.05');
  return z
    .string()
    .regex(/^(0|1|0?\.\d{1,9}|[01]\.\d{1,9})$/, { ...rule, abort: true })
    .transform(Number)
    .refine((value) => value <= 1, rule);
}

/** OpenTelemetry's form: `name=value,name=value`, values percent-encoded. */
function headerList() {
  return z.string().transform((text, context) => {
    const pairs = text.split(',').map((pair) => /^\s*([A-Za-z0-9!#$%&'*+.^_`|~-]+)=([\x21-\x7e ]*?)\s*$/.exec(pair));
    try {
      return Object.fromEntries(
        pairs.map((pair) => {
          const [, name = '', value = ''] = pair ?? [];
          const meant = decodeURIComponent(value);
          if (name === '' || !/^[\x20-\x7e]+$/.test(meant)) throw new URIError('no header');
          return [name, meant];
        }),
      );
    } catch {
      context.addIssue('must be comma-separated headers name=value with percent-encoded values');
      return z.NEVER;
    }
  });
}

function flag() {
  return z
    .enum(['true', 'false', '1', '0'], must('be true or false'))
    .transform((value) => value === 'true' || value === '1');
}

function addressList() {
  return z.string().transform((text, context) => {
    const entries = text.split(',').map((entry) => entry.trim());
    if (entries.length <= trustedProxiesMax && entries.every(isAddressOrNetwork)) return entries;
    context.addIssue(`must be up to ${trustedProxiesMax} comma-separated IP addresses or networks such as 10.0.0.0/8`);
    return z.NEVER;
  });
}

function isAddressOrNetwork(entry: string): boolean {
  const [address = '', prefix, ...more] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0 || address.includes('%')) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 6 ? 128 : 32));
}

function secretList() {
  return z.string().transform((text, context) => {
    const secrets = text.split(',').map((secret) => secret.trim());
    if (secrets.every((secret) => secret.length >= secretCharactersMin) && new Set(secrets).size === secrets.length)
      return secrets;
    context.addIssue(
      `must be one or more different comma-separated secrets of at least ${secretCharactersMin} characters each`,
    );
    return z.NEVER;
  });
}
