/** The frame of the playground: the way between its pages, each in a folder of its own. */
import { NavLink, Navigate, Outlet, useLocation } from 'react-router';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import './playground.css';
import { playgroundTexts } from './texts.ts';

const kinds = ['chat', 'image', 'video', 'avatar-talk', 'speech', 'transcription'] as const;

export function Component() {
  const say = useTexts(playgroundTexts);
  const root = `/${useAccountId()}/playground`;
  const { pathname } = useLocation();
  if (pathname.replace(/\/$/, '') === root) return <Navigate to={`${root}/chat`} replace />;
  return (
    <>
      <nav className="tg-kinds" aria-label={say('kinds')}>
        {kinds.map((kind) => (
          <NavLink key={kind} to={`${root}/${kind}`}>
            {say(kind)}
          </NavLink>
        ))}
      </nav>
      <Outlet />
    </>
  );
}
