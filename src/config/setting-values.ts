/** The kinds of value that the environment and `tollgate.yaml` share. */
import { z } from 'zod';
import { isCurrency } from '../domain/currency.ts';
import { parseAmount } from '../domain/money.ts';
import { must, ruleMessage } from './setting-errors.ts';

/** Text of a form; the rule completes `must …`. */
export function matching(pattern: RegExp, rule: string) {
  return z.string(must(rule)).regex(pattern, must(rule));
}

/** An amount of money, 0 or more, from its digits: never through a floating-point number. */
export function money() {
  const rule = 'be an amount with at most six decimals, such as 0.25';
  return z.string(must(rule)).transform((digits, context) => {
    const amount = parseAmount(digits);
    if (amount !== undefined && amount >= 0n) return amount;
    context.addIssue(ruleMessage(rule, digits));
    return z.NEVER;
  });
}

/** An ISO 4217 code. */
export function currency() {
  const rule = 'be the ISO 4217 code of a currency in upper case, such as CNY, EUR or USD';
  return z.string(must(rule)).refine(isCurrency, must(rule));
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
