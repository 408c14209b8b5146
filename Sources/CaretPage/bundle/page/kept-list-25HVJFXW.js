import{a,b,c,d}from"./chunk-OTBNEVW4.js";export{c as claim,a as describe,d as disown,b as forget};
