import{a,b,c}from"./chunk-WWZPOBLE.js";export{c as claim,a as describe,b as forget};
