/** What an attempt to deliver a webhook met with: the answer's status, or why there was none, in the reader's language. */
import { defineTexts, useTexts } from '../texts/define-texts.ts';

const texts = defineTexts('webhook-attempts', {
  en: {
    gone: 'HTTP 410 (wants no more events)',
    redirect: 'HTTP {{status}} (redirects are not followed)',
    status: 'HTTP {{status}}',
    late: 'No response within {{seconds}} s',
    broken: 'No response (connection lost)',
    silent: 'No response ({{code}})',
    refused: 'Address not allowed: it must be http or https on a public host',
  },
  zh: {
    gone: 'HTTP 410（接收方不再接收事件）',
    redirect: 'HTTP {{status}}（不跟随重定向）',
    status: 'HTTP {{status}}',
    late: '{{seconds}} 秒内无响应',
    broken: '无响应（连接中断）',
    silent: '无响应（{{code}}）',
    refused: '地址不被允许：必须是公网主机上的 http 或 https 地址',
  },
});

interface Attempt {
  status: number | null;
  /** The gateway's own words where there was no answer; others than the known ones are shown as they are. */
  fault: string | null;
}

export function useAttemptText(): (attempt: Attempt) => string {
  const say = useTexts(texts);
  return ({ status, fault }) => {
    if (status === 410) return say('gone');
    if (status !== null) return say(status >= 300 && status < 400 ? 'redirect' : 'status', { status });
    if (fault === null) return '–';
    const seconds = /^no answer within (\S+) s$/.exec(fault)?.[1];
    if (seconds !== undefined) return say('late', { seconds });
    if (fault === 'no answer (the connection broke)') return say('broken');
    const code = /^no answer \((\w+)\)$/.exec(fault)?.[1];
    if (code !== undefined) return say('silent', { code });
    return fault.startsWith('the address is refused') ? say('refused') : fault;
  };
}
