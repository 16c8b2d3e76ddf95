import { runPlantFileThread } from '../config/plant-file/run-plant-file-thread.ts';

runPlantFileThread();
