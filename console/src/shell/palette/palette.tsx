/** A field whose results are chosen with the arrow keys and opened with Enter: any page, and what an id or a name means. */
import { Input, Modal } from 'antd';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { useFocusBack } from '../../parts/use-focus-back.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { type Destination, useDestinations } from './destinations.ts';
import { texts } from './texts.ts';
import '../../parts/cards.css';
import './palette.css';

const textMax = 256;

export default function Palette({ onClose }: { onClose: () => void }) {
  const say = useTexts(texts);
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [isEntered, setEntered] = useState(false);
  const [wanted, setChosen] = useState(0);
  const { all, isLooking, error } = useDestinations(text);
  const list = useId();
  const chosen = Math.min(wanted, all.length - 1);
  useFocusBack();
  const go = ({ path }: Destination) => {
    onClose();
    void navigate(path);
  };
  const target = all[chosen];
  // Enter right after an id was pasted opens it once it is found.
  useEffect(() => {
    if (isEntered && target) go(target);
  });
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return; // the keys choose a Chinese word
    const to = { ArrowDown: chosen + 1, ArrowUp: chosen - 1 }[event.key];
    if (to !== undefined) setChosen((to + all.length) % Math.max(1, all.length));
    else if (event.key === 'Enter') setEntered(target !== undefined || isLooking);
    else return;
    event.preventDefault();
  };
  return (
    <Modal open title={say('title')} footer={null} onCancel={onClose} focusable={{ focusTriggerAfterClose: false }}>
      <Input
        autoFocus
        role="combobox"
        aria-label={say('hint')}
        aria-expanded
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={all.length > 0 ? `${list}-${chosen}` : undefined}
        placeholder={say('hint')}
        maxLength={textMax}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setChosen(0);
          setEntered(false);
        }}
        onKeyDown={press}
      />
      <ul className="tg-palette" role="listbox" id={list} aria-label={say('results')}>
        {all.map((destination, at) => (
          <Option
            key={`${destination.about} ${destination.path}`}
            id={`${list}-${at}`}
            destination={destination}
            isChosen={at === chosen}
            onGo={() => go(destination)}
          />
        ))}
      </ul>
      <p role="status" className="tg-hint">
        {isLooking ? say('looking') : all.length > 0 ? say('count', { count: all.length }) : say('none')}
        {error !== null && ` ${say('failed')}`}
      </p>
      <p className="tg-hint">{say('help')}</p>
    </Modal>
  );
}

interface OptionProps {
  id: string;
  destination: Destination;
  isChosen: boolean;
  onGo: () => void;
}

function Option({ id, destination: { name, about }, isChosen, onGo }: OptionProps) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) item.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    <li ref={item} id={id} role="option" aria-selected={isChosen} onClick={onGo}>
      <span>{name}</span>
      <span className="tg-hint">{about}</span>
    </li>
  );
}
