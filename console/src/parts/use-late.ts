/** A value once it has rested for a moment: what somebody types is asked for when they pause. */
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
