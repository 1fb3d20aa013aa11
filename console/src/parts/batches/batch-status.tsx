/** How a batch stands: icon, text and colour, never the colour alone. */
import {
  CheckCircleOutlined,
  ClockCircleOutlined,
  CloseCircleOutlined,
  HourglassOutlined,
  StopOutlined,
  SyncOutlined,
} from '@ant-design/icons';
import { Tag } from 'antd';
import { useTexts } from '../../texts/define-texts.ts';
import type { BatchLine } from './batch.ts';
import { batchTexts } from './texts.ts';

const looks = {
  validating: { color: 'processing', icon: <SyncOutlined spin /> },
  in_progress: { color: 'processing', icon: <SyncOutlined spin /> },
  finalizing: { color: 'processing', icon: <SyncOutlined spin /> },
  cancelling: { color: 'default', icon: <SyncOutlined spin /> },
  completed: { color: 'success', icon: <CheckCircleOutlined /> },
  failed: { color: 'error', icon: <CloseCircleOutlined /> },
  expired: { color: 'warning', icon: <ClockCircleOutlined /> },
  cancelled: { color: 'default', icon: <StopOutlined /> },
} as const;

const paused = { color: 'warning', icon: <HourglassOutlined /> } as const;

export function BatchStatus({ batch: { status, paused: why } }: { batch: Pick<BatchLine, 'status' | 'paused'> }) {
  const say = useTexts(batchTexts);
  const isPaused = status === 'in_progress' && why !== null;
  return <Tag {...(isPaused ? paused : looks[status])}>{say(isPaused ? why : status)}</Tag>;
}
