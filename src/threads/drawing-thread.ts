import { runDrawingThread } from '../adapters/drawing/run-drawing-thread.ts';

// A fault ends the thread, which tells the thread that started it.
void runDrawingThread();
