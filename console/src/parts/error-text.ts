/** What an error says to the reader: the server's own sentence, but for what the console knows better, and in Chinese. */
import { toConsoleError } from '../api/error.ts';
import { useTexts } from '../texts/define-texts.ts';
import { useLanguage } from '../texts/language.ts';
import { chineseOf } from './errors-in-chinese.ts';
import { partsTexts } from './texts.ts';

export function useErrorText(): (error: unknown) => string {
  const say = useTexts(partsTexts);
  const language = useLanguage();
  return (error) => {
    const { status, code, message } = toConsoleError(error);
    const known = byCode[code];
    if (known) return say(known);
    if (status === 0) return say('unreachable');
    if (status === -1) return say('unexpected');
    if (status === 403) return say('forbidden');
    const chinese = language === 'zh' ? chineseOf(code) : undefined;
    return chinese === undefined ? message : `${chinese}（${message}）`;
  };
}

/** What an error of the code is in the reader's language. */
const byCode: Readonly<
  Record<
    string,
    | 'lastOwner'
    | 'wrongPassword'
    | 'tooManyTries'
    | 'wouldLockOut'
    | 'formReused'
    | 'notEnough'
    | 'suspended'
    | 'busy'
    | 'inDoubt'
    | 'maintenance'
    | undefined
  >
> = {
  last_owner: 'lastOwner',
  wrong_password: 'wrongPassword',
  too_many_attempts: 'tooManyTries',
  would_lock_out: 'wouldLockOut',
  idempotency_key_reused: 'formReused',
  insufficient_balance: 'notEnough',
  account_suspended: 'suspended',
  model_in_maintenance: 'maintenance',
  overloaded: 'busy',
  not_ready: 'busy',
  outcome_unknown: 'inDoubt',
};
