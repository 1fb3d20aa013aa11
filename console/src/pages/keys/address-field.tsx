/** The addresses from which a key may be used; the server checks what they are. */
import { Form, Select } from 'antd';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

/** As the server allows. */
const addressesMax = 50;

export function AddressField() {
  const say = useTexts(texts);
  return (
    <Form.Item name="allowed_ips" label={say('addresses')} extra={say('addressesHelp', { count: addressesMax })}>
      <Select
        mode="tags"
        open={false}
        suffix={null}
        maxCount={addressesMax}
        tokenSeparators={[',', ' ', '\n']}
        placeholder={say('allAddresses')}
      />
    </Form.Item>
  );
}
