/** Chat: talk to a model as your apps do. */
import { useAccountId } from '../../../parts/use-account.ts';
import { useStore } from '../../../api/store.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { linesOf } from '../shared/addresses.ts';
import { Code } from '../shared/code.tsx';
import { chatCodes } from '../shared/codes.ts';
import { CostBefore } from '../shared/cost-before.tsx';
import { useDraft, useDraftName } from '../shared/draft.ts';
import type { Facts, ModelFacts } from '../shared/facts.ts';
import { FaultAlert, faultAt, useFault } from '../shared/fault.tsx';
import { PlaygroundFrame, useChosenModel } from '../shared/frame.tsx';
import { useQuote } from '../shared/quote.ts';
import { useBar } from '../shared/who-may.ts';
import { chatBody, fieldOf, firstDraft } from './body.ts';
import { Composer } from './composer.tsx';
import { clear, conversationOf, say as sayTo, stop, type Turn } from './conversation.ts';
import { Settings } from './settings.tsx';
import { texts } from './texts.ts';
import { Turns } from './turns.tsx';

export function Component() {
  const say = useTexts(texts);
  return (
    <PlaygroundFrame title={say('title')} description={say('description')} kinds={['chat', 'code']}>
      {(facts, models) => <Chat facts={facts} models={models} />}
    </PlaygroundFrame>
  );
}

function Chat({ facts, models }: { facts: Facts; models: [ModelFacts, ...ModelFacts[]] }) {
  const say = useTexts(texts);
  const account = useAccountId();
  const isBarred = useBar() !== undefined;
  const name = useDraftName('chat.turns');
  const [draft, change] = useDraft('chat', firstDraft);
  const [model, choose] = useChosenModel(models, draft.model);
  const { turns, error } = useStore(conversationOf(name));
  const isRunning = turns.at(-1)?.end === 'running';
  const seesImages = model.capabilities.includes('vision');
  const images = seesImages ? linesOf(draft.images) : [];
  const next = userTurn(draft.text, images);
  const body = chatBody(draft, model, [...turns, next]);
  const quote = useQuote('/chat/completions', isBarred || isRunning ? undefined : body);
  const fault = useFault(error, fieldOf);
  const send = async () => {
    change({ text: '', images: '' });
    const isSaid = await sayTo({ name, account }, { text: draft.text, images }, (all) => chatBody(draft, model, all));
    if (!isSaid) change({ text: draft.text, images: draft.images });
  };
  return (
    <div className="tg-chat">
      <section className="tg-chat-main" aria-label={say('conversation')}>
        <Turns turns={turns} onClear={() => clear(name)} />
        <FaultAlert fault={fault} />
        <Composer
          draft={draft}
          change={change}
          textError={faultAt(fault, 'text')}
          isRunning={isRunning}
          onSend={() => void send()}
          onStop={() => stop(name)}
          cost={<CostBefore quote={quote} />}
        />
      </section>
      <Settings
        draft={draft}
        change={change}
        models={models}
        model={model}
        onModel={(id) => {
          choose(id);
          change({ model: id });
        }}
        fault={fault}
      />
      <Code codes={chatCodes(facts.base_url, draft.text.trim() === '' ? lastSent() : body)} />
    </div>
  );

  /** Of what is shown as code while nothing is typed; an answer that comes would have it written anew with each word. */
  function lastSent() {
    const asked = turns.slice(0, turns.findLastIndex(({ role }) => role === 'user') + 1);
    return chatBody(draft, model, asked.length > 0 ? asked : [userTurn(say('example'), images)]);
  }
}

const userTurn = (text: string, images: string[]): Turn => ({
  role: 'user',
  text,
  images,
  requestId: null,
  end: null,
});
