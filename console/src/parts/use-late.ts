/** A debounced value: what is typed is searched for once the typing pauses. */
import { useEffect, useState } from 'react';

const rest_ms = 250;

export function useLate<Value>(value: Value): Value {
  const [late, setLate] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLate(value), rest_ms);
    return () => clearTimeout(timer);
  }, [value]);
  return late;
}
