/** People of the account console: what they may be to an account, and how they are asked in. */
import { z } from 'zod';
import { isGuessable } from './guessable-passwords.ts';
import { isKeepable } from '../text.ts';

/** Owners change what belongs to an account, members read it. */
export const accountRoles = ['owner', 'member'] as const;
export type AccountRole = (typeof accountRoles)[number];

export type PersonId = string & { readonly id: 'person' };

export const passwordCharactersMin = 10;
export const passwordCharactersMax = 200;

const emailRule = 'must be an e-mail address of at most 255 ASCII characters';
/** An e-mail address in lower case, which is how people are distinguished. ASCII: cases of other letters are disputed. */
export const emailField = z
  .string(emailRule)
  .transform((text) => text.trim().toLowerCase())
  .refine((text) => /^[!-?A-~]{1,64}@[a-z0-9.-]{1,190}$/.test(text), emailRule)
  .meta({ minLength: 3, maxLength: 255 });

/** A password of so many characters or more, which are Unicode code points. */
function passwordFrom(charactersMin: number) {
  const form = new RegExp(`^.{${charactersMin},${passwordCharactersMax}}$`, 'su');
  const rule = `must have ${charactersMin} to ${passwordCharactersMax} characters`;
  return z
    .string(rule)
    .refine((text) => form.test(text) && isKeepable(text), { error: rule, abort: true })
    .meta({ minLength: charactersMin, maxLength: passwordCharactersMax, format: 'password' });
}

/** Of a first start, as an operator sets it: deployments have had some of 8 characters, and start as before. */
export const bootstrapPasswordField = passwordFrom(8);

const guessedFirst =
  'is a common password, or one with a few characters or a year behind it, a run such as 1234567890 or a repetition; choose a few random words instead';
/** A password that a person chooses, and that guessers don't try first. */
export const passwordField = passwordFrom(passwordCharactersMin)
  .refine((text) => text.trim() !== '', { error: 'must not consist only of whitespace', abort: true })
  .refine((text) => !isGuessable(text), guessedFirst)
  .meta({ minLength: passwordCharactersMin, maxLength: passwordCharactersMax, format: 'password' });

export const roleField = z.enum(accountRoles, "must be 'owner' or 'member'");
