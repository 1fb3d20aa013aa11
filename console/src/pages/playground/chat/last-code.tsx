/** The request that was sent last, as code; before the first one what the form would send. */
import { Segmented } from 'antd';
import { useState } from 'react';
import { useTexts } from '../../../texts/define-texts.ts';
import { Code } from '../shared/code.tsx';
import { chatCodes } from '../shared/codes.ts';
import type { ChatRequest } from './chat-request.ts';
import type { Lane } from './lane.ts';
import { isShortened, shortened } from './shortened.ts';
import { texts } from './texts.ts';

interface Props {
  baseUrl: string;
  lanes: readonly [Lane, ...Lane[]];
  /** What a lane would send now. */
  exampleOf: (lane: Lane) => ChatRequest;
}

export function LastCode({ baseUrl, lanes, exampleOf }: Props) {
  const say = useTexts(texts);
  const [chosen, choose] = useState('');
  const lane = lanes.find(({ name }) => name === chosen) ?? lanes[0];
  const { body, headers } = lane.sent ?? shortened(exampleOf(lane));
  const notes = [lane.sent ? say('codeSent') : say('codeExample'), isShortened(body) ? say('codeShortened') : ''];
  return (
    <Code codes={chatCodes(baseUrl, body, headers)} note={notes.join(' ').trim()}>
      {lanes.length > 1 && (
        <Segmented
          aria-label={say('codeOf')}
          disabled={false}
          value={lane.name}
          onChange={choose}
          options={lanes.map(({ name, model }) => ({ value: name, label: model.id }))}
        />
      )}
    </Code>
  );
}
