/** The pages of an account and those of operators, in the order in which they are listed. No two have the same name. */
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
  SendOutlined,
  SettingOutlined,
  SwapOutlined,
  TeamOutlined,
  UnorderedListOutlined,
  UserSwitchOutlined,
} from '@ant-design/icons';
import type { ReactElement } from 'react';

interface Entry<Page extends string, Name extends string> {
  page: Page;
  name: Name;
  icon: ReactElement;
}

const entry = <const Page extends string, const Name extends string>(
  page: Page,
  name: Name,
  icon: ReactElement,
): Entry<Page, Name> => ({ page, name, icon });

/** In groups, each with its title. */
export const accountGroups = [
  {
    title: 'account',
    pages: [
      entry('overview', 'overview', <DashboardOutlined />),
      entry('playground', 'playground', <ExperimentOutlined />),
      entry('models', 'models', <AppstoreOutlined />),
      entry('keys', 'keys', <KeyOutlined />),
    ],
  },
  {
    title: 'activity',
    pages: [
      entry('requests', 'requests', <SwapOutlined />),
      entry('tasks', 'tasks', <ScheduleOutlined />),
      entry('batches', 'batches', <UnorderedListOutlined />),
      entry('webhooks', 'webhooks', <SendOutlined />),
    ],
  },
  {
    title: 'costs',
    pages: [
      entry('usage', 'usage', <BarChartOutlined />),
      entry('ledger', 'ledger', <BankOutlined />),
      entry('statement', 'statement', <FileDoneOutlined />),
    ],
  },
  {
    title: 'management',
    pages: [
      entry('team', 'team', <TeamOutlined />),
      entry('acts', 'acts', <FileSearchOutlined />),
      entry('settings', 'settings', <SettingOutlined />),
    ],
  },
] as const;

export const operatorGroups = [
  {
    title: 'operator',
    pages: [
      entry('overview', 'allOverview', <DashboardOutlined />),
      entry('models', 'allModels', <AppstoreOutlined />),
      entry('providers', 'providers', <CloudServerOutlined />),
      entry('unknown', 'unknown', <QuestionCircleOutlined />),
    ],
  },
  {
    title: 'customers',
    pages: [
      entry('accounts', 'accounts', <ApiOutlined />),
      entry('people', 'people', <UserSwitchOutlined />),
      entry('acts', 'allActs', <FileSearchOutlined />),
    ],
  },
  {
    title: 'allActivity',
    pages: [
      entry('requests', 'allRequests', <SwapOutlined />),
      entry('tasks', 'allTasks', <ScheduleOutlined />),
      entry('batches', 'allBatches', <UnorderedListOutlined />),
      entry('webhooks', 'allWebhooks', <SendOutlined />),
    ],
  },
  {
    title: 'revenue',
    pages: [
      entry('usage', 'allUsage', <BarChartOutlined />),
      entry('margin', 'margin', <FundOutlined />),
      entry('reconcile', 'reconcile', <ReconciliationOutlined />),
      entry('audit', 'audit', <AuditOutlined />),
    ],
  },
] as const;

export const accountPages = accountGroups.flatMap<(typeof accountGroups)[number]['pages'][number]>(
  ({ pages }) => pages,
);
export const operatorPages = operatorGroups.flatMap<(typeof operatorGroups)[number]['pages'][number]>(
  ({ pages }) => pages,
);
