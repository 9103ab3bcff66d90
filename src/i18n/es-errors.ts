/** The Spanish texts of error details; `error-texts.ts` has the English ones. */
import type { ErrorTexts } from './error-texts.js';

export const errorsEs: ErrorTexts = {
  code: 'Código',
  status: 'Estado HTTP',
  errorType: 'Tipo de error',
  said: 'Mensaje del servidor',
  check: 'Revisar la configuración',
  checking: 'Revisando…',
  asked: 'Dirección:',
  feedback: 'Informar de un problema',
  findings: {
    ok: () => [
      'El servicio funciona y acepta solicitudes de esta página.',
      'El error fue temporal, o solo ocurre con un mensaje completo: inténtalo de nuevo.',
    ],
    'no-endpoint': () => ['No hay ningún servicio configurado.', 'Para el responsable del sitio: define el atributo «endpoint».'],
    'bad-url': () => ['La dirección del servicio no es válida.', 'Debe empezar por https:// o http://, o ser una ruta de este sitio.'],
    'on-device': () => [
      'Las respuestas vienen del modelo del navegador, no hay servicio que revisar.',
      'Actualiza el navegador, o comprueba que ha descargado su modelo.',
    ],
    'mixed-content': () => ['Esta página usa https y el servicio http: el navegador lo bloquea.', 'Ofrece el servicio a través de https.'],
    offline: () => ['El navegador está sin conexión.', 'Conéctate a una red; los mensajes pendientes se enviarán entonces.'],
    'local-network': () => [
      'El servicio está en este equipo o en esta red, y el navegador no deja que esta página acceda a él.',
      'Permite el acceso a la red local en los ajustes del sitio, inicia el servidor y haz que permita este sitio (OLLAMA_ORIGINS en Ollama).',
    ],
    csp: () => [
      'La Content-Security-Policy de esta página bloquea las solicitudes al servicio.',
      'Añade el origen del servicio a su connect-src.',
    ],
    unreachable: () => [
      'Ningún servidor responde en esta dirección.',
      'Comprueba que esté bien escrita, que el servidor funcione, que su nombre se resuelva y que su certificado sea válido.',
    ],
    timeout: () => [
      'El servidor recibió la solicitud, pero no respondió a tiempo.',
      'Puede estar sobrecargado, o un proxy puede retrasar sus respuestas.',
    ],
    cors: ({ origin = '' }) => [
      'Un servidor responde, pero no deja que este sitio lea sus respuestas (CORS).',
      `Debe enviar Access-Control-Allow-Origin: ${origin} (el relay de tool-chat lo hace con los orígenes de ALLOWED_ORIGINS).`,
    ],
    'cors-headers': ({ origin = '' }) => [
      'El servidor deja que este sitio lea sus respuestas, pero no que envíe las cabeceras de una solicitud de chat (CORS).',
      `Al preflight de ${origin} debe responder con Access-Control-Allow-Headers: content-type y las cabeceras que definas.`,
    ],
    auth: ({ status = 401 }) => [
      `El servicio requiere autenticación (${status}).`,
      'Inicia sesión, o pon una clave válida en «headers». Las claves van en un relay, no en una página.',
    ],
    forbidden: ({ status = 403, origin = '' }) => [
      `El servicio rechazó este sitio o a este usuario (${status}).`,
      `Si es el relay de tool-chat, añade ${origin} a sus orígenes permitidos (ALLOWED_ORIGINS), o indícalo como PUBLIC_ORIGIN. Si no, inicia sesión con una cuenta autorizada.`,
    ],
    'not-found': ({ status = 404 }) => [
      `Un servidor responde, pero no en esta ruta (${status}).`,
      'Compara la ruta con la documentación del servicio.',
    ],
    redirect: () => [
      'El servidor redirige las solicitudes a otra dirección. La redirección no se sigue, para que la conversación no salga de aquí.',
      'Pon la dirección final como «endpoint».',
    ],
    'wrong-answer': () => [
      'En esta dirección hay una página web, no un servicio.',
      'Compara la ruta con la documentación del servicio; puede que antes pida iniciar sesión.',
    ],
    'rate-limit': () => ['El servicio funciona, pero recibió demasiadas solicitudes.', 'Inténtalo más tarde.'],
    'too-long': ({ window }) => [
      `El servicio funciona, pero la última solicitud era más larga de lo que su modelo puede leer a la vez${window === undefined ? '' : ` (${String(window)} tokens)`}.`,
      'Empieza un chat nuevo, registra menos herramientas o da al modelo una ventana de contexto mayor (-c en llama.cpp, num_ctx en Ollama).',
    ],
    server: ({ status = 500 }) => [`El servicio responde con un error (${status}).`, 'La causa está en el registro del servidor.'],
    headers: () => ['Falló la función «headers» de la página, así que no se envió nada.', 'La causa está en la consola del navegador.'],
  },
};
