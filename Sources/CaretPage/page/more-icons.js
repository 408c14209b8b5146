// The icons that the first text does not need: lines in a square of 24 by 24.
import { addDrawings } from './dom.js'

addDrawings({
    forward: 'M9 5l7 7-7 7', add: 'M12 5v14M5 12h14', close: 'M6 6l12 12M18 6L6 18',
    settings: 'M4 7h9M19 7h1M4 17h1M11 17h9M16 4.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 0 0 0-5M8 14.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 0 0 0-5',
    grid: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z', list: 'M4 6h16M4 12h16M4 18h16',
    text: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6', folder: 'M3 6h6l2 2h10v11H3z',
    history: 'M4 5v5h5M4.6 10A8 8 0 1 1 4 14M12 8v4.5l3 2', compare: 'M4 5h7v14H4zM15 5h5M15 10h5M15 15h5M15 19h5',
    note: 'M4 5h16v11H10l-4 4v-4H4z', send: 'M12 19V5M6 11l6-6 6 6', play: 'M7 5l12 7-12 7z', pause: 'M8 5v14M16 5v14',
    undo: 'M8 5L3.5 9.5 8 14M4 9.5h10a5.5 5.5 0 0 1 0 11h-3', redo: 'M16 5l4.5 4.5L16 14M20 9.5H10a5.5 5.5 0 0 0 0 11h3',
    clock: 'M12 4a8 8 0 1 0 0 16a8 8 0 0 0 0-16M12 8v4.5l3 2', letters: 'M5 7h14M5 12h9M5 17h5',
    print: 'M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z',
    tag: 'M4 4h8l8.5 8.5-8 8L4 12zM8.5 8.5h.01', up: 'M6 15l6-6 6 6',
    link: 'M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1',
    share: 'M12 15V4M8 8l4-4 4 4M8 11H5v9h14v-9h-3',
    copy: 'M9 9h11v11H9zM5 15H4V4h11v1', duplicate: 'M9 9h11v11H9zM5 15H4V4h11v1M14.5 12v5M12 14.5h5', download: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
    font: 'M3 18L8 6l5 12M4.8 14h6.4M20.5 12.5v5.5M20.5 15.2a2.8 2.8 0 1 1-5.6 0a2.8 2.8 0 0 1 5.6 0',
    wrap: 'M4 6h16M4 12h13a3 3 0 0 1 0 6h-4M15 15.5L12.5 18l2.5 2.5M4 18h4', pen: 'M4 20l1-4L16 5l3 3L8 19z',
})
