/** The list of pages: those of the account, and for operators those that run the service. */
import type { ReactNode } from 'react';
import { NavLink, useParams } from 'react-router';
import { useSession } from '../api/session.ts';
import { useTexts } from '../texts/define-texts.ts';
import { accountPages, operatorPages } from './pages.tsx';
import { shellTexts } from './texts.ts';

export function SideNavigation({ onGo }: { onGo?: () => void }) {
  const say = useTexts(shellTexts);
  const { person, accounts } = useSession();
  const { account: shown } = useParams();
  const account = shown ?? accounts[0]?.id;
  return (
    <nav className="tg-nav" aria-label={say('navigation')}>
      {account !== undefined && (
        <Group title={say('account')}>
          {accountPages.map(({ page, icon }) => (
            <Item key={page} to={`/${account}/${page}`} icon={icon} label={say(page)} onGo={onGo} />
          ))}
        </Group>
      )}
      {person.is_operator && (
        <Group title={say('operator')}>
          {operatorPages.map(({ page, name, icon }) => (
            <Item key={page} to={`/operator/${page}`} icon={icon} label={say(name)} onGo={onGo} />
          ))}
        </Group>
      )}
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

function Item(props: { to: string; icon: ReactNode; label: string; onGo: (() => void) | undefined }) {
  return (
    <li>
      <NavLink to={props.to} className="tg-nav-item" onClick={() => props.onGo?.()}>
        <span aria-hidden="true">{props.icon}</span>
        {props.label}
      </NavLink>
    </li>
  );
}
