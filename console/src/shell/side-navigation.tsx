/** The list of pages: those of the account, and for operators those that run the service. */
import {
  ApiOutlined,
  AppstoreOutlined,
  AuditOutlined,
  BankOutlined,
  BarChartOutlined,
  CloudServerOutlined,
  DashboardOutlined,
  ExperimentOutlined,
  FileDoneOutlined,
  FileSearchOutlined,
  FundOutlined,
  KeyOutlined,
  QuestionCircleOutlined,
  ReconciliationOutlined,
  ScheduleOutlined,
  SwapOutlined,
  TeamOutlined,
  UnorderedListOutlined,
  UserSwitchOutlined,
} from '@ant-design/icons';
import type { ReactNode } from 'react';
import { NavLink, useParams } from 'react-router';
import { useSession } from '../api/session.ts';
import { useTexts } from '../texts/define-texts.ts';
import { shellTexts } from './texts.ts';

const accountPages = [
  { page: 'overview', icon: <DashboardOutlined /> },
  { page: 'playground', icon: <ExperimentOutlined /> },
  { page: 'keys', icon: <KeyOutlined /> },
  { page: 'requests', icon: <SwapOutlined /> },
  { page: 'tasks', icon: <ScheduleOutlined /> },
  { page: 'batches', icon: <UnorderedListOutlined /> },
  { page: 'models', icon: <AppstoreOutlined /> },
  { page: 'usage', icon: <BarChartOutlined /> },
  { page: 'ledger', icon: <BankOutlined /> },
  { page: 'statement', icon: <FileDoneOutlined /> },
  { page: 'team', icon: <TeamOutlined /> },
] as const;

const operatorPages = [
  { page: 'accounts', icon: <ApiOutlined /> },
  { page: 'people', icon: <UserSwitchOutlined /> },
  { page: 'providers', icon: <CloudServerOutlined /> },
  { page: 'margin', icon: <FundOutlined /> },
  { page: 'requests', icon: <SwapOutlined /> },
  { page: 'batches', icon: <UnorderedListOutlined /> },
  { page: 'unknown', icon: <QuestionCircleOutlined /> },
  { page: 'acts', icon: <FileSearchOutlined /> },
  { page: 'audit', icon: <AuditOutlined /> },
  { page: 'reconcile', icon: <ReconciliationOutlined /> },
] as const;

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
          {operatorPages.map(({ page, icon }) => (
            <Item key={page} to={`/operator/${page}`} icon={icon} label={say(page)} onGo={onGo} />
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
