/** Whether every package may be used and handed on: its licence is on the list. */
import fs from 'node:fs';
import path from 'node:path';
import { bundledPackages } from './bundled.mjs';
import { readLock } from './lock.mjs';

/** None of these asks anything of Tollgate's own code: MPL-2.0 is about its own files, which are used as they are. */
const allowed = [
  ...['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0'],
  ...['MPL-2.0', 'Unlicense', 'CC0-1.0', 'CC-BY-4.0'],
];
/** Of tools that are not distributed. */
const allowed_in_development = ['Python-2.0'];

/** How a licence's text is recognized where package.json names none. */
const texts = [
  ['Unlicense', /free and unencumbered software released into the public domain/],
  ['MIT', /Permission is hereby granted, free of charge/],
  ['Apache-2.0', /Apache License\s+Version 2\.0/],
  ['ISC', /Permission to use, copy, modify, and\/or distribute this software for any purpose/],
];

export function checkLicences(folder) {
  const { packages } = readLock(folder);
  const bundled = new Set(bundledPackages(folder).map(({ name, version }) => `${name}@${version}`));
  const counts = new Map();
  const faults = [];
  const read = [];
  for (const one of packages) {
    const isHandedOn = !one.isDev || bundled.has(`${one.name}@${one.version}`);
    const found = one.license ?? licenceOfText(path.join(folder, one.place));
    if (one.license === undefined && found) read.push(`${one.name} ${one.version}: ${found}, by its licence file`);
    const list = isHandedOn ? allowed : [...allowed, ...allowed_in_development];
    if (!found) faults.push(`${one.name} ${one.version} names no licence`);
    else if (!isAllowed(found, list))
      faults.push(`${one.name} ${one.version} is under ${found}, which is not on the list`);
    if (isHandedOn && found) counts.set(found, (counts.get(found) ?? 0) + 1);
  }
  const inUse = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([licence, count]) => `${licence} (${count})`);
  return { faults, facts: [`handed on: ${inUse.join(', ')}`, ...read] };
}

/** SPDX expressions of one level, as packages have them: all of AND, any of OR. */
export function isAllowed(expression, list) {
  const plain = expression.replace(/^\((.*)\)$/, '$1');
  if (/[()]/.test(plain) || (/ OR /.test(plain) && / AND /.test(plain))) return false; // a person must look
  if (/ OR /.test(plain)) return plain.split(' OR ').some((one) => list.includes(one));
  return plain.split(' AND ').every((one) => list.includes(one));
}

function licenceOfText(folder) {
  const files = fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => /^licen[cs]e/i.test(name)) : [];
  const text = files.map((name) => fs.readFileSync(path.join(folder, name), 'utf8')).join('\n');
  return texts.find(([, pattern]) => pattern.test(text))?.[0];
}
