/** A thumbnail of a task's result, loaded when it comes near the viewport; without a result, an icon of the task's kind. */
import { PictureOutlined, PlaySquareOutlined, UserOutlined } from '@ant-design/icons';
import { useEffect, useRef, useState } from 'react';
import './tasks.css';

const icons = { image: PictureOutlined, video: PlaySquareOutlined, avatar_talk: UserOutlined } as const;

interface ThumbnailProps {
  kind: keyof typeof icons;
  preview: { url: string; type: string } | null;
}

/** Hidden from screen readers: the words beside it say the same. */
export function Thumbnail({ kind, preview }: ThumbnailProps) {
  const Icon = icons[kind];
  return (
    <span className="tg-thumbnail" aria-hidden>
      {preview === null ? (
        <Icon />
      ) : preview.type.startsWith('image/') ? (
        <img src={preview.url} alt="" loading="lazy" decoding="async" />
      ) : (
        <FirstFrame url={preview.url} />
      )}
    </span>
  );
}

/** Browsers load no video lazily by themselves. Its head and first frame are all that is read of it. */
function FirstFrame({ url }: { url: string }) {
  const place = useRef<HTMLVideoElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (!place.current || isNear) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [isNear]);
  return (
    <video ref={place} src={isNear ? `${url}#t=0.1` : undefined} preload="metadata" muted playsInline tabIndex={-1} />
  );
}
