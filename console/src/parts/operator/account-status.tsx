/** Whether an account is served: icon and text, never the colour alone. */
import { CheckCircleOutlined, StopOutlined } from '@ant-design/icons';
import { Tag } from 'antd';
import { useTexts } from '../../texts/define-texts.ts';
import { operatorTexts } from './texts.ts';

export function AccountStatus({ status }: { status: 'active' | 'suspended' }) {
  const say = useTexts(operatorTexts);
  return status === 'active' ? (
    <Tag color="success" icon={<CheckCircleOutlined />}>
      {say('active')}
    </Tag>
  ) : (
    <Tag color="error" icon={<StopOutlined />}>
      {say('suspended')}
    </Tag>
  );
}
