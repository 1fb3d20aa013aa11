/** A debounced value: what is typed is searched for once the typing pauses. */
import { useEffect, useState } from 'react';

const restMs = 250;

export function useLate<Value>(value: Value): Value {
  const [late, setLate] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLate(value), restMs);
    return () => clearTimeout(timer);
  }, [value]);
  return late;
}
