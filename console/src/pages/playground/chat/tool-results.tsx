/** Where the results of tool calls are written: the model goes on with them. */
import { SendOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { useTexts } from '../../../texts/define-texts.ts';
import { Field } from '../shared/field.tsx';
import { TextArea } from '../shared/text-area.tsx';
import type { Lane } from './lane.ts';
import { texts } from './texts.ts';

/** `lane` has open calls; it takes a result for each, in their order. */
export function ToolResults({ lane: { name: laneName, openCalls: calls, giveResults } }: { lane: Lane }) {
  const say = useTexts(texts);
  const [results, setResults] = useState(() => calls.map(() => ''));
  return (
    <form
      className="tg-tool-results"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        giveResults(results);
      }}
    >
      {calls.map(({ id, name }, index) => (
        <Field key={id} name={`${laneName}.${id}`} label={say('resultOf', { name })} hint={say('resultHint')}>
          {(props) => (
            <TextArea
              {...props}
              value={results[index] ?? ''}
              rows={2}
              spellCheck={false}
              onChange={(event) => setResults(results.with(index, event.target.value))}
            />
          )}
        </Field>
      ))}
      <Button type="primary" htmlType="submit" icon={<SendOutlined />}>
        {say('giveResults')}
      </Button>
    </form>
  );
}
