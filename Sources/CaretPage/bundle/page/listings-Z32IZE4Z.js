import{a,b,c,d,e,f}from"./chunk-FRFP5YM2.js";export{c as addLink,e as deleted,d as history,f as links,a as notes,b as tags};
