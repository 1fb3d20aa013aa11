/** Language and theme, as in the bar at the top, for this browser. */
import { Form, Segmented } from 'antd';
import { shellTexts } from '../../shell/texts.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { chooseLanguage, useLanguage } from '../../texts/language.ts';
import { chooseScheme, useSchemeChoice } from '../../theme/scheme.ts';
import { texts } from './texts.ts';

export function Look() {
  const say = useTexts(texts);
  const sayShell = useTexts(shellTexts);
  const language = useLanguage();
  const scheme = useSchemeChoice();
  return (
    <Form layout="vertical">
      <Form.Item label={say('language')}>
        <Segmented
          aria-label={say('language')}
          value={language}
          onChange={chooseLanguage}
          options={[
            { value: 'zh', label: <span lang="zh-CN">中文</span> },
            { value: 'en', label: <span lang="en">English</span> },
          ]}
        />
      </Form.Item>
      <Form.Item label={say('theme')}>
        <Segmented
          aria-label={say('theme')}
          value={scheme}
          onChange={chooseScheme}
          options={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: sayShell(value) }))}
        />
      </Form.Item>
    </Form>
  );
}
