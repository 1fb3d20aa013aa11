/** The list of pages: those of the account, and for operators those that run the service. */
import { type ReactNode, useEffect, useRef } from 'react';
import { NavLink, useLocation, useParams } from 'react-router';
import { useSession } from '../api/session.ts';
import { useTexts } from '../texts/define-texts.ts';
import { accountModules, operatorModules, preload } from '../page-modules.ts';
import { accountGroups, operatorGroups } from './pages.tsx';
import { shellTexts } from './texts.ts';

export function SideNavigation({ onGo }: { onGo?: () => void }) {
  const say = useTexts(shellTexts);
  const { person, accounts } = useSession();
  const { account: shown } = useParams();
  const account = shown ?? accounts[0]?.id;
  const { pathname } = useLocation();
  const list = useRef<HTMLElement>(null);
  // An operator's list is longer than most screens.
  useEffect(() => {
    // In braces, so that nothing is returned: in newer browsers it is a promise, which React would call as the effect's end.
    list.current?.querySelector('.active')?.scrollIntoView({ block: 'nearest' });
  }, [pathname]);
  return (
    <nav ref={list} className="tg-nav" aria-label={say('navigation')}>
      {account !== undefined &&
        accountGroups.map(({ title, pages }) => (
          <Group key={title} title={say(title)}>
            {pages.map(({ page, name, icon }) => (
              <Item
                key={page}
                to={`/${account}/${page}`}
                icon={icon}
                label={say(name)}
                load={accountModules[page]}
                onGo={onGo}
              />
            ))}
          </Group>
        ))}
      {person.is_operator &&
        operatorGroups.map(({ title, pages }) => (
          <Group key={title} title={say(title)}>
            {pages.map(({ page, name, icon }) => (
              <Item
                key={page}
                to={`/operator/${page}`}
                icon={icon}
                label={say(name)}
                load={operatorModules[page]}
                onGo={onGo}
              />
            ))}
          </Group>
        ))}
    </nav>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <div className="tg-nav-title">{title}</div>
      <ul>{children}</ul>
    </section>
  );
}

interface ItemProps {
  to: string;
  icon: ReactNode;
  label: string;
  load: () => Promise<unknown>;
  onGo: (() => void) | undefined;
}

function Item({ to, icon, label, load, onGo }: ItemProps) {
  const near = () => preload(load);
  return (
    <li>
      <NavLink to={to} className="tg-nav-item" onPointerEnter={near} onFocus={near} onClick={() => onGo?.()}>
        <span aria-hidden="true">{icon}</span>
        {label}
      </NavLink>
    </li>
  );
}
