/** What became of an event. */
import { CheckCircleOutlined, CloseCircleOutlined, SyncOutlined } from '@ant-design/icons';
import { Tag } from 'antd';
import { useTexts } from '../../texts/define-texts.ts';
import { eventTexts } from './texts.ts';

const looks = {
  onItsWay: { color: 'processing', icon: <SyncOutlined /> },
  delivered: { color: 'success', icon: <CheckCircleOutlined /> },
  givenUp: { color: 'error', icon: <CloseCircleOutlined /> },
} as const;

export function DeliveryTag({ delivered }: { delivered: boolean | null }) {
  const say = useTexts(eventTexts);
  const name = delivered === null ? 'onItsWay' : delivered ? 'delivered' : 'givenUp';
  return <Tag {...looks[name]}>{say(name)}</Tag>;
}
