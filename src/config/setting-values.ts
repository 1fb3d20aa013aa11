/** The kinds of value that the environment and `tollgate.yaml` share. */
import { z } from 'zod';
import { parseYuan } from '../domain/money.ts';
import { must, ruleMessage } from './setting-errors.ts';

/** Text of a form; the rule completes `must …`. */
export function matching(pattern: RegExp, rule: string) {
  return z.string(must(rule)).regex(pattern, must(rule));
}

/** An amount of yuan, 0 or more, from its digits: never through a floating-point number. */
export function yuan() {
  const rule = 'be an amount in yuan with at most six decimals, such as 0.25';
  return z.string(must(rule)).transform((digits, context) => {
    const amount = parseYuan(digits);
    if (amount !== undefined && amount >= 0n) return amount;
    context.addIssue(ruleMessage(rule, digits));
    return z.NEVER;
  });
}

/** An http(s) address; the slash at its end is dropped, so that paths can be appended. */
export function webAddress() {
  const rule = 'be an http or https URL without user, query or fragment';
  return z.string(must(rule)).transform((written, context) => {
    const url = URL.canParse(written) ? new URL(written) : undefined;
    const plain = url?.username === '' && url.password === '' && !/[?#]/.test(written);
    if (url !== undefined && plain && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, '');
    context.addIssue(ruleMessage(rule, written));
    return z.NEVER;
  });
}
