/** The pages of an account and those of operators, in the order in which they are listed. */
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

export const accountPages = [
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

export const operatorPages = [
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
