/** Code to copy: one text, or the same in several languages behind tabs. */
import { Tabs } from 'antd';
import { useTexts } from '../texts/define-texts.ts';
import { CopyButton } from './copy-button.tsx';
import { partsTexts } from './texts.ts';

export function CodeBlock({ code, label }: { code: string; label?: string }) {
  return (
    <figure className="tg-code">
      {/* It scrolls sideways, so the keyboard must get there. */}
      <pre tabIndex={0} aria-label={label} role="region">
        <code>{code}</code>
      </pre>
      <CopyButton text={code} />
    </figure>
  );
}

const names = { curl: 'curl', python: 'Python', node: 'Node.js' } as const;

export function CodeTabs({ codes }: { codes: Record<keyof typeof names, string> }) {
  const say = useTexts(partsTexts);
  return (
    <Tabs
      aria-label={say('codeLanguage')}
      items={(['curl', 'python', 'node'] as const).map((key) => ({
        key,
        label: names[key],
        children: <CodeBlock code={codes[key]} label={names[key]} />,
      }))}
    />
  );
}
