/** How a task or call stands: icon, text and colour, never the colour alone. */
import {
  CheckCircleOutlined,
  CloseCircleOutlined,
  DeleteOutlined,
  HourglassOutlined,
  StopOutlined,
  SyncOutlined,
} from '@ant-design/icons';
import { Tag } from 'antd';
import { useTexts } from '../texts/define-texts.ts';
import { partsTexts } from './texts.ts';

const looks = {
  processing: { color: 'processing', icon: <SyncOutlined spin /> },
  queued: { color: 'default', icon: <HourglassOutlined /> },
  succeeded: { color: 'success', icon: <CheckCircleOutlined /> },
  completed: { color: 'success', icon: <CheckCircleOutlined /> },
  failed: { color: 'error', icon: <CloseCircleOutlined /> },
  error: { color: 'error', icon: <CloseCircleOutlined /> },
  cancelled: { color: 'default', icon: <StopOutlined /> },
  removed: { color: 'default', icon: <DeleteOutlined /> },
} as const;

export type Status = keyof typeof looks;

export function StatusTag({ status }: { status: Status }) {
  const say = useTexts(partsTexts);
  return (
    <Tag color={looks[status].color} icon={looks[status].icon}>
      {say(status)}
    </Tag>
  );
}
