/** Why a call failed or an entry is there, in the reader's language where the gateway wrote it. */
import { useLanguage } from '../texts/language.ts';
import { reasonInChinese } from './reasons-in-chinese.ts';
import { Original } from './server-text.tsx';

/** Returns it in one line. */
export function useReasonText(): (reason: string) => string {
  const language = useLanguage();
  return (reason) => (language === 'zh' ? reasonInChinese(reason) : reason);
}

/** With the original to unfold, which operators look for in logs. */
export function Reason({ of: reason }: { of: string }) {
  return <Original text={useReasonText()(reason)} original={reason} />;
}
