/** The configuration without a file: the simulator's models, at prices for a demo. */

/** Goes through the same parser as a file of an operator's own, and is a good start for one. */
export const builtInConfiguration = `deployments:
  - { root: /v1, health: /api/models/health, image_wait_seconds: 300, video_wait_seconds: 300 }
  - { root: /ai/v1, health: /ai/v1/models/health, image_wait_seconds: 0, video_wait_seconds: 300 }
providers:
  simulator: { kind: simulator }
models:
  - id: sim-chat
    kind: chat
    owned_by: tollgate
    capabilities: [chat, vision, tools]
    routes: [{ provider: simulator, model: sim-chat }]
    price: { input_per_million: 2, output_per_million: 8 }
  - id: sim-code
    kind: code
    owned_by: tollgate
    routes: [{ provider: simulator, model: sim-code }]
    price: { input_per_million: 4, output_per_million: 16 }
  - id: sim-embedding
    kind: embedding
    owned_by: tollgate
    routes: [{ provider: simulator, model: sim-embedding }]
    price: { input_per_million: 0.5 }
  - id: sim-moderation
    kind: moderation
    owned_by: tollgate
    routes: [{ provider: simulator, model: sim-moderation }]
    price: { per_call: 0.001 }
  - id: sim-rerank
    kind: rerank
    owned_by: tollgate
    routes: [{ provider: simulator, model: sim-rerank }]
    price: { per_search: 0.01 }
  - id: sim-speech
    kind: speech
    owned_by: tollgate
    routes: [{ provider: simulator, model: sim-speech }]
    price: { per_million_characters: 100 }
  - id: sim-transcription
    kind: transcription
    owned_by: tollgate
    routes: [{ provider: simulator, model: sim-transcription }]
    price: { per_second: 0.001 }
  - id: sim-image
    kind: image
    owned_by: tollgate
    routes: [{ provider: simulator, model: sim-image }]
    price: { per_image: 0.20 }
    limits: { prompt_characters: 800 }
    quality_scale: { low: 25, medium: 50, high: 75 }
  - id: sim-video-fast
    kind: video
    owned_by: tollgate
    routes: [{ provider: simulator, model: sim-video-fast }]
    price: { per_second: 0.10 }
  - id: sim-video-pro
    kind: video
    owned_by: tollgate
    routes: [{ provider: simulator, model: sim-video-pro }]
    price: { per_second: 0.30 }
  - id: sim-avatar-video
    kind: avatar-video
    owned_by: tollgate
    routes: [{ provider: simulator, model: sim-avatar-video }]
    price: { per_second: 0.05 }
  - id: sim-avatar-image
    kind: avatar-image
    owned_by: tollgate
    routes: [{ provider: simulator, model: sim-avatar-image }]
    price: { per_second: 0.05 }
  - id: sim-avatar-talk
    kind: avatar-talk
    owned_by: tollgate
    routes: [{ provider: simulator, model: sim-avatar-talk }]
    price: { per_second: 0.05 }
`;
