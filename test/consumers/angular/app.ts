/** A page in Angular: the tag in a template, with properties, an object among them, and a listener. */
// Its packages leave their last step to a linker, or to this.
import '@angular/compiler';
import {
  Component,
  CUSTOM_ELEMENTS_SCHEMA,
  type ElementRef,
  provideZonelessChangeDetection,
  signal,
  viewChild,
  type AfterViewInit,
} from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
import type { ToolChat, ToolChatEventMap } from 'tool-chat';
import 'tool-chat/define';
import { rename } from '../rename.js';

@Component({
  selector: '#app',
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    <tool-chat
      #chat
      endpoint="/api/ai/chat/stream"
      heading="In Angular"
      [context]="user"
      (tool-chat-tool-complete)="hear($event)"
    ></tool-chat>
    <output>{{ heard() }}</output>
  `,
})
class App implements AfterViewInit {
  readonly user = { user: 'Ada' };
  readonly heard = signal('');
  readonly chat = viewChild.required<ElementRef<ToolChat>>('chat');

  hear(event: Event) {
    this.heard.set((event as ToolChatEventMap['tool-chat-tool-complete']).result.message);
  }

  ngAfterViewInit() {
    this.chat().nativeElement.registerTool(rename);
  }
}

await bootstrapApplication(App, { providers: [provideZonelessChangeDetection()] });
