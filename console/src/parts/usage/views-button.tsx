/** Opens the views that were saved, to go to one, rename or delete it, or to save what is shown now. */
import { CheckOutlined, DeleteOutlined, EditOutlined, StarOutlined } from '@ant-design/icons';
import { Button, Drawer, Input } from 'antd';
import { type SyntheticEvent, useState } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { useSession } from '../../api/session.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { EmptyState } from '../empty-state.tsx';
import { nameMax, type SavedView, useSavedViews, viewsMax } from './saved-views.ts';
import { viewTexts } from './view-texts.ts';

const drawerPx = 420;

export function ViewsButton() {
  const say = useTexts(viewTexts);
  const [search, setSearch] = useSearchParams();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const { account = 'operator' } = useParams();
  const { views, save, rename, remove } = useSavedViews(`tollgate.usage-views.${useSession().person.id}.${account}`);
  const shown = search.toString();
  const isFull = views.length >= viewsMax && !views.some((view) => view.name === name.trim());
  const saveNow = (event: SyntheticEvent) => {
    event.preventDefault();
    if (name.trim() === '' || isFull) return;
    save(name.trim(), shown);
    setName('');
  };
  return (
    <>
      <Button icon={<StarOutlined aria-hidden />} onClick={() => setOpen(true)}>
        {say('views')}
      </Button>
      <Drawer open={isOpen} onClose={() => setOpen(false)} size={drawerPx} title={say('views')} destroyOnHidden>
        <p className="tg-quiet">{say('kept')}</p>
        <form className="tg-view-form" onSubmit={saveNow}>
          <label>
            {say('name')}
            <Input value={name} maxLength={nameMax} onChange={(event) => setName(event.target.value)} />
          </label>
          <Button type="primary" htmlType="submit">
            {say('save')}
          </Button>
        </form>
        {isFull && <p role="alert">{say('full', { count: viewsMax })}</p>}
        {views.length === 0 ? (
          <EmptyState text={say('none')} />
        ) : (
          <ul className="tg-views">
            {views.map((view) => (
              <OneView
                key={view.id}
                view={view}
                isShown={view.search === shown}
                onOpen={() => {
                  setSearch(view.search);
                  setOpen(false);
                }}
                onRename={(to) => rename(view.id, to)}
                onRemove={() => remove(view.id)}
              />
            ))}
          </ul>
        )}
      </Drawer>
    </>
  );
}

interface OneViewProps {
  view: SavedView;
  isShown: boolean;
  onOpen: () => void;
  onRename: (name: string) => void;
  onRemove: () => void;
}

function OneView({ view: { name }, isShown, onOpen, onRename, onRemove }: OneViewProps) {
  const say = useTexts(viewTexts);
  const [newName, setNewName] = useState<string>();
  if (newName !== undefined)
    return (
      <li>
        <form
          className="tg-view-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (newName.trim() === '') return;
            onRename(newName.trim());
            setNewName(undefined);
          }}
        >
          <Input
            aria-label={say('newName', { name })}
            value={newName}
            maxLength={nameMax}
            autoFocus
            onChange={(event) => setNewName(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return;
              event.stopPropagation(); // it would close the drawer
              setNewName(undefined);
            }}
          />
          <Button htmlType="submit" icon={<CheckOutlined />} aria-label={say('saveName')} title={say('saveName')} />
        </form>
      </li>
    );
  return (
    <li>
      <button type="button" {...(isShown && { 'aria-current': true })} onClick={onOpen}>
        {name}
      </button>
      <Button
        type="text"
        icon={<EditOutlined />}
        aria-label={say('rename', { name })}
        title={say('rename', { name })}
        onClick={() => setNewName(name)}
      />
      <Button
        type="text"
        icon={<DeleteOutlined />}
        aria-label={say('remove', { name })}
        title={say('remove', { name })}
        onClick={onRemove}
      />
    </li>
  );
}
