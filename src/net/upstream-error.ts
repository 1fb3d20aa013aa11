/** What an upstream says of an error, in whatever shape, made fit for a caller's eyes. */
import { isIPv6 } from 'node:net';
import { keepable } from '../domain/text.ts';

export interface UpstreamError {
  message: string;
  param: string | null;
  code: string | null;
}

/** More than any honest message has; what comes behind it is not read. */
const readBytesMax = 64 * 1024;
const messageCharactersMax = 1000;
const wordCharactersMax = 200;

/**
 * Reads an error body: OpenAI's `{error:{message,param,code,type}}`, `{error:"…"}`, `{message}`, `{detail}` as FastAPI
 * has it, `{errors:[…]}`, plain text, or a page of HTML. The message is empty where none is found, and is not cleaned
 * (`cleanUpstreamMessage`). Where there is no `code`, not even null, the `type` stands for it.
 */
export function upstreamError(body: Buffer, contentType: string): UpstreamError {
  const text = body.toString('utf8', 0, readBytesMax).trim();
  const parsed = parse(text);
  if (parsed !== undefined) return fromJson(parsed, 0);
  const isPage = /html/i.test(contentType) || /^<(!doctype|html|head|body)/i.test(text);
  return { message: shortened(isPage ? titleOf(text) : text), param: null, code: null };
}

/**
 * A message without addresses (URLs, hosts with ports, IP addresses, file paths of servers) and credentials (keys and
 * bearer tokens by their form, and the `secrets` given), on one line, of at most 1,000 characters.
 */
export function cleanUpstreamMessage(message: string, secrets: readonly (string | undefined)[] = []): string {
  let text = message.slice(0, messageCharactersMax * 4).replaceAll(gap, '');
  for (const secret of secrets) {
    if (secret !== undefined && secret.length >= 4) text = text.replaceAll(secret, gap);
  }
  for (const form of removed) text = text.replace(form, gap);
  text = text.replace(maybeIpv6, (found) => (isIPv6(found) ? gap : found));
  return shortened(
    text
      .replace(gaps, '[removed]')
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
  );
}

/** Stands for what was removed until all is: a letter of no language, so that an address goes on beyond a credential in it. */
const gap = '\u{e000}';
const gaps = /\u{e000}+/gu;

/** A host by its form, and the path and query behind it. */
const address = (host: string): RegExp => new RegExp(String.raw`${host}(?:[/?#][^\s"'<>)\]]*)?`, 'gi');

const removed: readonly RegExp[] = [
  // Credentials before addresses: a URL may end in the middle of one.
  /\b(?:bearer|basic)\s+[A-Za-z0-9._~+/=*-]{6,}/gi,
  /\b(?:sk|pk|rk|ak|key|gsk|xai|nvapi|hf|r8|ghp)[-_](?=[A-Za-z._-]*[0-9*])[A-Za-z0-9*._-]{6,}/gi,
  /\bAKIA[A-Z0-9]{12,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g,
  /\b(?:org|proj|acct)[-_](?=[A-Za-z]*[0-9])[A-Za-z0-9]{6,}/g,
  // Addresses, each with the path and query behind it.
  new RegExp(String.raw`\b[a-z][a-z0-9+.-]{1,15}:\/\/(?:\[[0-9a-f:.%]{2,60}\]|[^\s"'<>)\]])+`, 'gi'),
  address(String.raw`\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b`),
  address(String.raw`\[[0-9a-f]{0,4}:[0-9a-f:.]{1,45}\](?::\d{1,5})?`),
  address(String.raw`(?<![a-z0-9.-])(?:[a-z0-9_-]{1,63}\.){1,8}[a-z]{2,24}:\d{1,5}\b`),
  address(
    String.raw`(?<![a-z0-9.-])(?:[a-z0-9_-]{1,63}\.){1,8}(?:internal|local|localdomain|lan|svc|cluster|corp)\b(?::\d{1,5})?`,
  ),
  address(String.raw`\blocalhost\b(?::\d{1,5})?`),
  // Bare names of containers; ports have four digits there, `status:400` is none.
  address(String.raw`(?<![a-z0-9_-])[a-z][a-z0-9-]{0,62}:\d{4,5}\b`),
  /(?<![\w.])\/(?:app|data|etc|home|mnt|opt|root|srv|tmp|usr|var|workspace)\/[^\s"'<>)\]:]+/g,
];
/** What looks like an IPv6 address; `isIPv6` distinguishes it from a time of day. */
const maybeIpv6 = /(?<![\w:.])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?![\w:])/gi;

function fromJson(value: unknown, depth: number): UpstreamError {
  if (typeof value === 'string') return { message: shortened(value), param: null, code: null };
  if (Array.isArray(value)) return depth < 4 ? fromJson(value[0], depth + 1) : nothing;
  if (typeof value !== 'object' || value === null || depth > 4) return nothing;
  const fields = new Map<string, unknown>(Object.entries(value));
  for (const wrapper of ['error', 'errors', 'response']) {
    const inner = fields.get(wrapper);
    if (typeof inner !== 'object' || inner === null) continue;
    const read = fromJson(inner, depth + 1);
    if (read.message !== '' || read.code !== null) return read;
  }
  return {
    message: messageIn(fields, depth),
    param: word(fields.get('param')) ?? placeIn(fields.get('loc')),
    code: word(fields.get(fields.has('code') ? 'code' : 'type')),
  };
}

function messageIn(fields: ReadonlyMap<string, unknown>, depth: number): string {
  for (const field of ['message', 'msg', 'error', 'detail', 'error_message', 'error_description', 'title']) {
    const value = fields.get(field);
    if (typeof value === 'string' && value.trim() !== '') return shortened(value);
    if (typeof value === 'object' && value !== null) {
      const { message } = fromJson(value, depth + 1);
      if (message !== '') return message;
    }
  }
  return '';
}

/** FastAPI's `["body", "messages", 0, "content"]`. */
function placeIn(location: unknown): string | null {
  if (!Array.isArray(location)) return null;
  let place = '';
  for (const part of location.slice(0, 20) as readonly unknown[]) {
    if (typeof part === 'number') place += `[${part}]`;
    else if (typeof part === 'string' && !(place === '' && part === 'body')) place += place === '' ? part : `.${part}`;
  }
  return word(place);
}

/** Codes come as text or as numbers. */
function word(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value.slice(0, wordCharactersMax) : null;
}

function titleOf(page: string): string {
  return /<title[^>]{0,200}>([^<]{1,300})/i.exec(page)?.[1]?.trim() ?? '';
}

function parse(text: string): unknown {
  if (!/^[{["]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const shortened = (text: string): string =>
  keepable(text.length <= messageCharactersMax ? text : `${text.slice(0, messageCharactersMax - 1)}…`);

const nothing: UpstreamError = { message: '', param: null, code: null };
